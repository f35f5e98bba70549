package io.holdfast.kernel.nodes.sessions;

import java.io.Serializable;

/**
 * The times of sessions, in milliseconds.
 *
 * @param gap how far apart the records of a session may be
 * @param retention how long after its end a session is stored
 */
public record SessionTimes(long gap, long retention) implements Serializable {}
