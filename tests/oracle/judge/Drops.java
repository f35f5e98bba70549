package io.holdfast.judge;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Predicate;

/** Counts the records that reach an operation without the key that it needs: Kafka Streams drops them. */
final class Drops {
  private final Set<String> tableTopics = new HashSet<>();
  private long unkeyed;

  void tableTopic(String topic) {
    tableTopics.add(topic);
  }

  /** The same stream; its records without a key are counted. */
  KStream<Object, Object> watched(KStream<Object, Object> stream) {
    return stream.peek((k, v) -> unkeyed += k == null ? 1 : 0);
  }

  void watch(KStream<Object, Object> stream, Predicate<Object, Object> unusable) {
    stream.foreach((k, v) -> unkeyed += unusable.test(k, v) ? 1 : 0);
  }

  /** A record without a key for a table's topic. */
  void piped(String topic, Object key) {
    unkeyed += key == null && tableTopics.contains(topic) ? 1 : 0;
  }

  long unkeyed() {
    return unkeyed;
  }
}
