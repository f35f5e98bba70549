package io.holdfast.kernel.sink;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which producer wrote each sink partition last, on the driver: any other one in the pool of an executor was fenced by it. */
final class LastWriters {
  private static final Map<String, Map<Integer, String>> KNOWN = new ConcurrentHashMap<>();

  private LastWriters() {}

  /** Sink partition to the name of its producer, for the app with these markers. */
  static HashMap<Integer, String> of(String markers) {
    return new HashMap<>(markers == null ? Map.of() : KNOWN.getOrDefault(markers, Map.of()));
  }

  static void note(String markers, int partition, String producer) {
    KNOWN.computeIfAbsent(markers, app -> new ConcurrentHashMap<>()).put(partition, producer);
  }

  /** Called when the producers were fenced: none of them may be used again. */
  static void forget(String markers) {
    KNOWN.remove(markers);
  }
}
