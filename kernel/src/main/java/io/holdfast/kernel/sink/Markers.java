package io.holdfast.kernel.sink;

import io.holdfast.kernel.source.PlainConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Finds the last marker of a sink partition: the last record that was committed in a partition of its own. */
final class Markers {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final long STEP = 64;
  private final Map<String, Object> settings;

  Markers(Map<String, Object> consumer) {
    settings = consumer;
  }

  /** The last marker, or null if there is none. Whoever could still write one must have been fenced before. */
  Marker last(String topic, int partition) {
    TopicPartition place = new TopicPartition(topic, partition);
    try (KafkaConsumer<byte[], byte[]> consumer = PlainConsumer.open(
        settings, "earliest", Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed"))) {
      consumer.assign(List.of(place));
      long begin = consumer.beginningOffsets(List.of(place)).get(place);
      long end = consumer.endOffsets(List.of(place)).get(place);
      // Ends of transactions take offsets, too, so that the last record is not the one before the end.
      for (long from = end; from > begin;) {
        long until = from;
        from = Math.max(begin, from - STEP);
        Marker found = between(consumer, place, from, until);
        if (found != null) {
          return found;
        }
      }
      return null;
    }
  }

  private static Marker between(KafkaConsumer<byte[], byte[]> consumer, TopicPartition place, long from, long until) {
    consumer.seek(place, from);
    Marker last = null;
    while (consumer.position(place) < until) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(PATIENCE).records(place)) {
        last = record.offset() < until && record.value() != null ? Marker.of(record.value()) : last;
      }
    }
    return last;
  }
}
