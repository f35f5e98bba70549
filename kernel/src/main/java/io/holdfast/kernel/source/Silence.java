package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** For how long nothing has come to the topics whose time then moves on by the clock. */
public final class Silence {
  private final Map<String, Long> idle;
  private final Map<String, Long> arrived = new HashMap<>();
  private final long began;

  /**
   * @param idle after how many milliseconds each topic counts as silent; 0: never
   */
  public Silence(Map<String, Long> idle, long now) {
    this.idle = idle;
    this.began = now;
  }

  public void arrived(String topic, long now) {
    arrived.put(topic, now);
  }

  /** The topics that are silent, and for how long they have been. */
  public Map<String, Long> at(long now) {
    Map<String, Long> out = new TreeMap<>();
    idle.forEach((topic, limit) -> {
      long silence = now - arrived.getOrDefault(topic, began);
      if (limit > 0 && silence >= limit) {
        out.put(topic, silence);
      }
    });
    return out;
  }

  /** The time that a silent topic has reached at least: records that take longer to arrive are late. */
  public long floor(String topic, long now) {
    return now - idle.get(topic);
  }
}
