package io.holdfast.kernel.source;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** The offsets that readers of this process have reached in batches that have not ended. */
public final class LivePositions {
  private static final Map<String, Map<TopicPartition, Long>> REACHED = new ConcurrentHashMap<>();
  private static final Map<String, Map<TopicPartition, Long>> ENDS = new ConcurrentHashMap<>();

  private LivePositions() {}

  static void put(String query, Map<TopicPartition, Long> positions) {
    REACHED.computeIfAbsent(query, q -> new ConcurrentHashMap<>()).putAll(positions);
  }

  /** Sets the end offsets of the topics, as far as they are known. */
  static void ends(String query, Map<TopicPartition, Long> ends) {
    ENDS.computeIfAbsent(query, q -> new ConcurrentHashMap<>()).putAll(ends);
  }

  /** Whether all records before the offset have been handed on. */
  static boolean isAt(String query, TopicPartition partition, long end) {
    return REACHED.getOrDefault(query, Map.of()).getOrDefault(partition, Long.MIN_VALUE) >= end;
  }

  /** The offsets in JSON, for progress reports. */
  public static String json(String query) {
    return OffsetJson.json(REACHED.getOrDefault(query, Map.of()));
  }

  /** The end offsets of the topics, in the same form. */
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
