package io.holdfast.judge;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Predicate;

/** Counts the records that reach an operation without the key that it needs: Kafka Streams drops them. */
final class Drops {
  private final Set<String> tableTopics = new HashSet<>();
  private long unkeyed;
  private long silent;

  void tableTopic(String topic) {
    tableTopics.add(topic);
  }

  /** The same stream; its records without a key are counted. Before a repartition they vanish without a metric. */
  KStream<Object, Object> watched(KStream<Object, Object> stream, boolean repartitions) {
    return stream.peek((k, v) -> count(k == null, repartitions));
  }

  /** Counts the records that an operation cannot use. */
  void watch(KStream<Object, Object> stream, boolean repartitions, Predicate<Object, Object> unusable) {
    stream.foreach((k, v) -> count(unusable.test(k, v), repartitions));
  }

  private void count(boolean is, boolean repartitions) {
    unkeyed += is ? 1 : 0;
    silent += is && repartitions ? 1 : 0;
  }

  /** A record without a key for a table's topic. */
  void piped(String topic, Object key) {
    count(key == null && tableTopics.contains(topic), false);
  }

  long unkeyed() {
    return unkeyed;
  }

  /** Those of them that no metric of Kafka Streams counts. */
  long silent() {
    return silent;
  }
}
