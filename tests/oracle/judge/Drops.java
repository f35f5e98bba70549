package io.holdfast.judge;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Predicate;

/** Counts the records that ours sends to the dead letters, and those that no metric of Kafka Streams counts. */
final class Drops {
  private final Set<String> tableTopics = new HashSet<>();
  private long refused;
  private long silent;

  void tableTopic(String topic) {
    tableTopics.add(topic);
  }

  /** The same stream; its records without a key are counted. Before a repartition they vanish without a metric. */
  KStream<Object, Object> watched(KStream<Object, Object> stream, boolean silently) {
    return stream.peek((k, v) -> count(k == null, silently));
  }

  /** Counts the records that an operation cannot use. */
  void watch(KStream<Object, Object> stream, boolean silently, Predicate<Object, Object> unusable) {
    stream.foreach((k, v) -> count(unusable.test(k, v), silently));
  }

  /** Counts the records that are passed over where Kafka Streams does not count them. */
  void watchSkipped(KStream<Object, Object> stream, Predicate<Object, Object> passedOver) {
    stream.foreach((k, v) -> silent += passedOver.test(k, v) ? 1 : 0);
  }

  private void count(boolean is, boolean silently) {
    refused += is ? 1 : 0;
    silent += is && silently ? 1 : 0;
  }

  /** An expression failed on a record. */
  void failed() {
    count(true, true);
  }

  /** A record that ours passes over, as Kafka Streams does elsewhere. */
  void skipped() {
    silent++;
  }

  /** A record without a key for a table's topic. */
  void piped(String topic, Object key) {
    count(key == null && tableTopics.contains(topic), false);
  }

  long refused() {
    return refused;
  }

  /** Those that no metric of Kafka Streams counts. */
  long silent() {
    return silent;
  }
}
