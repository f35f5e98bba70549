package io.holdfast.kernel.source;

import java.io.Serializable;
import java.util.Map;

/**
 * Which times of records are refused, so that they do not advance the time of their topic.
 *
 * @param maxAhead by topic, how many milliseconds a time may be ahead of the clock; no limit where it is missing
 */
record TimeLimits(Map<String, Long> maxAhead) implements Serializable {
  static final TimeLimits NONE = new TimeLimits(Map.of());

  boolean isRefused(String topic, long time) {
    return time > TimeBounds.LAST || TimeBounds.isAhead(time, System.currentTimeMillis(), maxAhead.getOrDefault(topic, TimeBounds.ANY));
  }
}
