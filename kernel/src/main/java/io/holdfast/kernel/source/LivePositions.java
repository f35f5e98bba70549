package io.holdfast.kernel.source;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** How far the readers of this process have come in batches that have not ended. */
public final class LivePositions {
  private static final Map<String, Map<TopicPartition, Long>> REACHED = new ConcurrentHashMap<>();

  private LivePositions() {}

  static void put(String query, Map<TopicPartition, Long> positions) {
    REACHED.computeIfAbsent(query, q -> new ConcurrentHashMap<>()).putAll(positions);
  }

  /** Whether everything before the offset has been handed on. */
  static boolean isAt(String query, TopicPartition partition, long end) {
    return REACHED.getOrDefault(query, Map.of()).getOrDefault(partition, Long.MIN_VALUE) >= end;
  }

  /** The same for people: Kafka's offsets in JSON. */
  public static String json(String query) {
    return Offsets.json(REACHED.getOrDefault(query, Map.of()));
  }

  /** Forgets a query that has ended. */
  public static void forget(String query) {
    REACHED.remove(query);
    LiveConsumer.closeAll(query);
  }
}
