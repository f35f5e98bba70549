package io.holdfast.kernel.source;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which queries of this process take no new input, so that the epoch in hand is their last. */
public final class AdmissionGate {
  private static final Set<String> CLOSED = ConcurrentHashMap.newKeySet();
  private static final Set<String> PARKED = ConcurrentHashMap.newKeySet();

  private AdmissionGate() {}

  /** From now on the query takes no new input. */
  public static void close(String query) {
    CLOSED.add(query);
  }

  public static void open(String query) {
    CLOSED.remove(query);
    PARKED.remove(query);
  }

  /** The last epoch of a query whose batches have no end of their own is over. */
  static void park(String query) {
    PARKED.add(query);
  }

  /** Whether the last epoch of a query whose batches have no end of their own is over. */
  public static boolean isParked(String query) {
    return PARKED.contains(query);
  }

  static boolean isClosed(String query) {
    return query != null && CLOSED.contains(query);
  }
}
