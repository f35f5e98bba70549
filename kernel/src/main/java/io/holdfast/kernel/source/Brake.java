package io.holdfast.kernel.source;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Queries that are to take nothing new, so that the epoch in hand is their last. */
public final class Brake {
  private static final Set<String> ON = ConcurrentHashMap.newKeySet();
  private static final Set<String> PARKED = ConcurrentHashMap.newKeySet();

  private Brake() {}

  public static void on(String query) {
    ON.add(query);
  }

  public static void off(String query) {
    ON.remove(query);
    PARKED.remove(query);
  }

  /** Says that the query stands still: what it has begun has ended. */
  static void parked(String query) {
    PARKED.add(query);
  }

  /** Whether a query that is not made of batches with an end stands still. */
  public static boolean isParked(String query) {
    return PARKED.contains(query);
  }

  static boolean isOn(String query) {
    return query != null && ON.contains(query);
  }
}
