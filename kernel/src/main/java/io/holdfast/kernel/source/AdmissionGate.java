package io.holdfast.kernel.source;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Closes the source of a query of this process: it admits no new offsets, so that the current epoch is its last. */
public final class AdmissionGate {
  private static final Set<String> CLOSED = ConcurrentHashMap.newKeySet();
  private static final Set<String> PARKED = ConcurrentHashMap.newKeySet();

  private AdmissionGate() {}

  /** From now on the query gets no new input. */
  public static void close(String query) {
    CLOSED.add(query);
  }

  public static void open(String query) {
    CLOSED.remove(query);
    PARKED.remove(query);
  }

  /** The last epoch of a query in real-time mode has ended. */
  static void park(String query) {
    PARKED.add(query);
  }

  /** Whether the last epoch of a query in real-time mode has ended. */
  public static boolean isParked(String query) {
    return PARKED.contains(query);
  }

  static boolean isClosed(String query) {
    return query != null && CLOSED.contains(query);
  }
}
