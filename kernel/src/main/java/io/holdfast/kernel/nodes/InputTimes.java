package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;

/** The stream time of each input of a node, as in Kafka Streams: records of one are not late because another is ahead. */
public final class InputTimes {
  private static final long DAY = 86_400_000;
  private final StreamTime[] times;

  public InputTimes(KeyValueStore store, int inputs) {
    times = new StreamTime[inputs];
    for (int i = 0; i < inputs; i++) {
      times[i] = new StreamTime(i == 0 ? store : new PrefixedStore(store, (char) i));
    }
  }

  /** The beginning of a task's batch. */
  public void load() {
    for (StreamTime each : times) {
      each.load();
    }
  }

  /** The end of the batch. */
  public void save() {
    for (StreamTime each : times) {
      each.save();
    }
  }

  /** Takes a record's time into account; returns the stream time of its input after it. */
  public long observe(int input, long timestamp) {
    return times[Math.min(input, times.length - 1)].observe(timestamp);
  }

  /** Advances all inputs to this time at least. */
  public void observe(long time) {
    for (StreamTime each : times) {
      each.observe(time);
    }
  }

  /** The stream time of an input. */
  public long now(int input) {
    return times[Math.min(input, times.length - 1)].now();
  }

  /** The latest stream time of all inputs; Long.MIN_VALUE if nothing has come yet. */
  public long now() {
    long latest = times[0].now();
    for (int i = 1; i < times.length; i++) {
      latest = Math.max(latest, times[i].now());
    }
    return latest;
  }

  /**
   * Up to which time windows may expire, if the latest input has come to this time: a window that has closed for one input may be open for
   * another. An input that is more than a day behind is not waited for.
   */
  public long expiryTime(long latest) {
    if (times.length == 1 || latest < Long.MIN_VALUE + DAY) {
      return latest;
    }
    long slowest = latest;
    for (StreamTime each : times) {
      slowest = Math.min(slowest, each.now());
    }
    return Math.max(slowest, latest - DAY);
  }
}
