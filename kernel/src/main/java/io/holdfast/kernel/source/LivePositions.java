package io.holdfast.kernel.source;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** How far the readers of this process have come in batches that have not ended. */
public final class LivePositions {
  private static final Map<String, Map<TopicPartition, Long>> REACHED = new ConcurrentHashMap<>();
  private static final Map<String, Map<TopicPartition, Long>> ENDS = new ConcurrentHashMap<>();

  private LivePositions() {}

  static void put(String query, Map<TopicPartition, Long> positions) {
    REACHED.computeIfAbsent(query, q -> new ConcurrentHashMap<>()).putAll(positions);
  }

  /** Notes how far the topics go, as far as it is known. */
  static void ends(String query, Map<TopicPartition, Long> ends) {
    ENDS.computeIfAbsent(query, q -> new ConcurrentHashMap<>()).putAll(ends);
  }

  /** Whether everything before the offset has been handed on. */
  static boolean isAt(String query, TopicPartition partition, long end) {
    return REACHED.getOrDefault(query, Map.of()).getOrDefault(partition, Long.MIN_VALUE) >= end;
  }

  /** The same for people: Kafka's offsets in JSON. */
  public static String json(String query) {
    return OffsetJson.json(REACHED.getOrDefault(query, Map.of()));
  }

  /** How far the topics go, in the same form. */
  public static String endsJson(String query) {
    return OffsetJson.json(ENDS.getOrDefault(query, Map.of()));
  }

  /** Forgets a query that has ended. */
  public static void forget(String query) {
    REACHED.remove(query);
    ENDS.remove(query);
    LiveConsumer.closeAll(query);
  }
}
