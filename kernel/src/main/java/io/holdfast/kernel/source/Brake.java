package io.holdfast.kernel.source;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Queries that are to take nothing new, so that the epoch in hand is their last. */
public final class Brake {
  private static final Set<String> ON = ConcurrentHashMap.newKeySet();

  private Brake() {}

  public static void on(String query) {
    ON.add(query);
  }

  public static void off(String query) {
    ON.remove(query);
  }

  static boolean isOn(String query) {
    return query != null && ON.contains(query);
  }
}
