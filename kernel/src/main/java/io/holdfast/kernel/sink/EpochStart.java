package io.holdfast.kernel.sink;

import java.io.Serializable;
import java.util.HashMap;

/**
 * What the driver sends to the writers of an epoch.
 *
 * @param digest of where the epoch ends in the sources; null if that is not recorded
 * @param repeated whether the epoch has run before, with the same ends
 * @param producers sink partition to the producer that wrote it last: any other one was fenced by it
 */
record EpochStart(String digest, boolean repeated, HashMap<Integer, String> producers) implements Serializable {}
