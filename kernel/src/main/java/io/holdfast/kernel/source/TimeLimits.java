package io.holdfast.kernel.source;

import java.io.Serializable;
import java.util.Map;

/**
 * Which of the times that Kafka has say nothing about how far a topic is, because records that have them are refused.
 *
 * @param maxAhead by topic, how many milliseconds a time may be ahead of the clock; any that is possible where it is missing
 */
record TimeLimits(Map<String, Long> maxAhead) implements Serializable {
  static final TimeLimits NONE = new TimeLimits(Map.of());

  boolean isRefused(String topic, long time) {
    return time > TimeBounds.LAST || TimeBounds.isAhead(time, System.currentTimeMillis(), maxAhead.getOrDefault(topic, TimeBounds.ANY));
  }
}
