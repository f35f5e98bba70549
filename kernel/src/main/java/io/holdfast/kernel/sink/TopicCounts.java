package io.holdfast.kernel.sink;

import java.io.Serializable;
import java.util.Arrays;

/** The records that one sink partition wrote to one topic in one epoch: their number and, once committed, how old they were. */
final class TopicCounts implements Serializable {
  long records;
  private final Latency latency = new Latency();
  private transient long[] times = new long[16];
  private transient int timed;

  /** Counts a record with its time; a negative one is left to the producer. */
  void note(long timestamp) {
    records++;
    if (timestamp >= 0) {
      if (timed == times.length) {
        times = Arrays.copyOf(times, timed * 2);
      }
      times[timed++] = timestamp;
    }
  }

  /** Called when all records are committed. */
  void committed(long now) {
    for (int i = 0; i < timed; i++) {
      latency.add(now - times[i]);
    }
    timed = 0;
  }

  void add(TopicCounts other) {
    records += other.records;
    latency.add(other.latency);
  }

  Latency latency() {
    return latency;
  }
}
