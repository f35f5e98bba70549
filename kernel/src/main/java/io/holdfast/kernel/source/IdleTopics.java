package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Which topics are idle, and since when. */
public final class IdleTopics {
  private final Map<String, Long> limits;
  private final Map<String, Long> arrivals = new HashMap<>();
  private final long began;

  /**
   * @param limits after how many milliseconds each topic counts as idle; 0: never
   * @param began when the run began
   */
  public IdleTopics(Map<String, Long> limits, long began) {
    this.limits = limits;
    this.began = began;
  }

  long began() {
    return began;
  }

  public void arrived(String topic, long now) {
    arrivals.put(topic, now);
  }

  /** Takes over the arrivals of an earlier run; later ones take precedence. */
  public void resume(Map<String, Long> before) {
    before.forEach(arrivals::putIfAbsent);
  }

  /** When a record last came to each topic, as far as it is known. */
  public Map<String, Long> arrivals() {
    Map<String, Long> out = new TreeMap<>(arrivals);
    out.keySet().retainAll(limits.keySet());
    return out;
  }

  /**
   * The topics that are idle, and for how long.
   *
   * <p>After a start a topic has the whole limit before it counts as idle; then the time before the start counts, too.
   */
  public Map<String, Long> at(long now) {
    Map<String, Long> out = new TreeMap<>();
    limits.forEach((topic, limit) -> {
      long last = arrivals.getOrDefault(topic, began);
      if (limit > 0 && now - Math.max(last, began) >= limit) {
        out.put(topic, now - last);
      }
    });
    return out;
  }
}
