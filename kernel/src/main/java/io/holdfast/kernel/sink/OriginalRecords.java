package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.source.UngroupedConsumers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;

/**
 * Reads source records again for dead letters that were refused far from the source: that is rare, so records do not carry their source bytes.
 *
 * <p>A record counts as deleted only if Kafka says so. The timeout for a slow broker is that of its clients, `default.api.timeout.ms`; then the
 * task fails, and the epoch is repeated.
 */
class OriginalRecords {
  private static final Duration ONE_WAIT = Duration.ofMillis(500);
  private final Map<String, Object> settings;
  private final Duration timeout;

  OriginalRecords(Map<String, Object> settings) {
    this.settings = settings;
    Object configured = settings.get(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG);
    this.timeout = Duration.ofMillis(configured == null ? 60_000 : Long.parseLong(configured.toString()));
  }

  /** Hands the rows on with the bytes of their source records, one by one; one whose record is deleted stays as it is, with a fact that says so. */
  void fill(List<OutputRow> rows, Consumer<OutputRow> out) {
    Map<TopicPartition, TreeMap<Long, List<OutputRow>>> wanted = new HashMap<>();
    for (OutputRow row : rows) {
      TopicPartition partition =
          new TopicPartition(row.header(HeaderNames.TOPIC), Integer.parseInt(row.header(HeaderNames.PARTITION)));
      wanted.computeIfAbsent(partition, p -> new TreeMap<>())
          .computeIfAbsent(Long.parseLong(row.header(HeaderNames.OFFSET)), o -> new ArrayList<>()).add(row);
    }
    // A request must not create a topic that was deleted.
    try (KafkaConsumer<byte[], byte[]> consumer =
        UngroupedConsumers.open(settings, "none", Map.of(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false"))) {
      wanted.forEach((partition, byOffset) -> read(consumer, partition, byOffset, out));
    }
  }

  private void read(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, TreeMap<Long, List<OutputRow>> wanted,
      Consumer<OutputRow> out) {
    consumer.assign(List.of(partition));
    while (!wanted.isEmpty()) {
      long offset = wanted.firstKey();
      consumer.seek(partition, offset);
      for (ConsumerRecord<byte[], byte[]> record : poll(consumer, partition, offset)) {
        List<OutputRow> rows = wanted.remove(record.offset());
        if (rows != null) {
          rows.forEach(row -> out.accept(row.recalled(record.key(), record.value(), headers(record))));
        }
      }
      // The requested record, and any before the current position, would have come if they existed.
      long passed = Math.max(offset + 1, consumer.position(partition));
      while (!wanted.isEmpty() && wanted.firstKey() < passed) {
        wanted.pollFirstEntry().getValue().forEach(row -> out.accept(row.unrecalled()));
      }
    }
  }

  /** The next records from the offset on; none if Kafka has none there. */
  private List<ConsumerRecord<byte[], byte[]>> poll(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long offset) {
    long begun = System.nanoTime();
    try {
      while (System.nanoTime() - begun < timeout.toNanos()) {
        List<ConsumerRecord<byte[], byte[]>> found = consumer.poll(ONE_WAIT).records(partition);
        if (!found.isEmpty() || consumer.position(partition) > offset) {
          return found;
        }
      }
    } catch (OffsetOutOfRangeException gone) {
      return List.of();
    }
    if (isThere(consumer, partition, offset)) {
      throw new TimeoutException("Kafka did not give the record of a dead letter, offset " + offset + " of " + partition + ", in "
          + timeout.toMillis() + " ms (default.api.timeout.ms), though it has it");
    }
    return List.of();
  }

  /** Whether Kafka has the offset; fails if it does not answer. */
  private static boolean isThere(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long offset) {
    List<PartitionInfo> known = consumer.partitionsFor(partition.topic());
    boolean exists = known != null && known.stream().anyMatch(each -> each.partition() == partition.partition());
    return exists && offset < consumer.endOffsets(List.of(partition)).get(partition);
  }

  private static List<RawHeader> headers(ConsumerRecord<byte[], byte[]> record) {
    List<RawHeader> out = new ArrayList<>();
    for (Header header : record.headers()) {
      out.add(new RawHeader(header.key(), header.value()));
    }
    return out;
  }
}
