package io.holdfast.kernel.nodes.sessions;

import java.io.Serializable;

/**
 * What makes sessions, in milliseconds.
 *
 * @param gap how far apart the records of one may be
 * @param retention how long after its end one can be found
 */
public record SessionTimes(long gap, long retention) implements Serializable {}
