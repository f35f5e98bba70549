package io.holdfast.kernel.sink;

import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.records.ForeignRecords;
import io.holdfast.kernel.source.UngroupedConsumers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Finds the last marker of a sink partition: the last record that was committed in a partition of its own. */
final class Markers {
  private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);
  private static final long STEP = 64;
  private static final long LONGEST_STEP = 64 << 10;
  private final Map<String, Object> settings;

  Markers(Map<String, Object> consumer) {
    settings = consumer;
  }

  /** The last marker, or null if there is none. Producers that could still write one must have been fenced before. */
  Marker last(String topic, int partition) {
    TopicPartition topicPartition = new TopicPartition(topic, partition);
    try (KafkaConsumer<byte[], byte[]> consumer = UngroupedConsumers.open(
        settings, "earliest", Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed"))) {
      consumer.assign(List.of(topicPartition));
      long begin = consumer.beginningOffsets(List.of(topicPartition)).get(topicPartition);
      long end = consumer.endOffsets(List.of(topicPartition)).get(topicPartition);
      // Transaction markers take offsets, too, so that the last record is not the one before the end.
      long step = STEP;
      for (long from = end; from > begin; step = Math.min(2 * step, LONGEST_STEP)) {
        long until = from;
        from = Math.max(begin, from - step);
        Marker found = between(consumer, topicPartition, from, until);
        if (found != null) {
          return found;
        }
      }
      return null;
    }
  }

  private static Marker between(KafkaConsumer<byte[], byte[]> consumer, TopicPartition topicPartition, long from, long until) {
    consumer.seek(topicPartition, from);
    Marker last = null;
    while (consumer.position(topicPartition) < until) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT).records(topicPartition)) {
        Marker found = record.offset() < until ? marker(record) : null;
        last = found == null ? last : found;
      }
    }
    return last;
  }

  /** The marker in a record, or null if the app cannot have written it; one that cannot be decoded must not be skipped. */
  private static Marker marker(ConsumerRecord<byte[], byte[]> record) {
    if (!Marker.is(record.value())) {
      ForeignRecords.log(record.topic(), record.partition(), record.offset(), "it is no marker of an epoch");
      return null;
    }
    try {
      return Marker.of(record.value());
    } catch (RuntimeException unreadable) {
      throw new KernelError("", "", "the marker of an epoch in topic '" + record.topic() + "', partition " + record.partition() + ", offset "
          + record.offset() + ", cannot be read (" + unreadable.getMessage() + "), so that it is not known what was written: a later version of"
          + " Holdfast may have written it. To go on: start that version; or, to begin again and write everything once more, remove the app's"
          + " directory of state and its topic " + record.topic());
    }
  }
}
