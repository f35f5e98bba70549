package io.holdfast.kernel.source;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The next wall-clock timer of each query of this process: the sink sets it at the end of an epoch, the source reads it before it begins one. */
public final class WallClockTimers {
  private static final Map<String, Long> NEXT = new ConcurrentHashMap<>();

  private WallClockTimers() {}

  /**
   * @param time in milliseconds since 1970; Long.MAX_VALUE if there is none
   */
  public static void set(String query, long time) {
    if (query != null) {
      NEXT.put(query, time);
    }
  }

  /** Called when a query starts: its next timer is not known, so that the first epoch runs at once. */
  static void forget(String query) {
    NEXT.remove(query);
  }

  static boolean isDue(String query, long now) {
    return NEXT.getOrDefault(query, Long.MIN_VALUE) <= now;
  }
}
