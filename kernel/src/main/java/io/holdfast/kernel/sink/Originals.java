package io.holdfast.kernel.sink;

import io.holdfast.kernel.source.PlainConsumer;
import io.holdfast.kernel.source.RawHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** Reads source records again for dead letters that were refused far from the source: rare, so nobody carries them along. */
final class Originals {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final String GONE = "hf-original";
  private final Map<String, Object> settings;

  Originals(Map<String, Object> settings) {
    this.settings = settings;
  }

  /** The rows with the bytes of their source records; one whose record is gone stays as it is and says so. */
  List<OutputRow> fill(List<OutputRow> rows) {
    Map<TopicPartition, TreeMap<Long, List<OutputRow>>> wanted = new HashMap<>();
    for (OutputRow row : rows) {
      TopicPartition partition =
          new TopicPartition(row.header("hf-topic"), Integer.parseInt(row.header("hf-partition")));
      wanted.computeIfAbsent(partition, p -> new TreeMap<>())
          .computeIfAbsent(Long.parseLong(row.header("hf-offset")), o -> new ArrayList<>()).add(row);
    }
    List<OutputRow> out = new ArrayList<>(rows.size());
    try (KafkaConsumer<byte[], byte[]> consumer = PlainConsumer.open(settings, "none", Map.of())) {
      wanted.forEach((partition, byOffset) -> read(consumer, partition, byOffset, out));
    }
    return out;
  }

  private static void read(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, TreeMap<Long, List<OutputRow>> wanted,
      List<OutputRow> out) {
    consumer.assign(List.of(partition));
    while (!wanted.isEmpty()) {
      consumer.seek(partition, wanted.firstKey());
      List<ConsumerRecord<byte[], byte[]>> found = poll(consumer, partition);
      if (found.isEmpty()) {
        wanted.pollFirstEntry().getValue().forEach(row -> out.add(without(row)));
        continue;
      }
      for (ConsumerRecord<byte[], byte[]> record : found) {
        List<OutputRow> rows = wanted.remove(record.offset());
        if (rows != null) {
          rows.forEach(row -> out.add(row.recalled(record.key(), record.value(), headers(record))));
        }
      }
      // What lay before the last record read and was not among them is gone.
      long last = found.get(found.size() - 1).offset();
      while (!wanted.isEmpty() && wanted.firstKey() <= last) {
        wanted.pollFirstEntry().getValue().forEach(row -> out.add(without(row)));
      }
    }
  }

  private static List<ConsumerRecord<byte[], byte[]>> poll(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    try {
      return consumer.poll(PATIENCE).records(partition);
    } catch (OffsetOutOfRangeException gone) {
      return List.of();
    }
  }

  private static OutputRow without(OutputRow row) {
    List<RawHeader> headers = new ArrayList<>(List.of(row.headers));
    headers.removeIf(header -> header.name().startsWith("hf-"));
    headers.add(RawHeader.ofText(GONE, "gone"));
    return row.recalled(row.key, row.value, headers);
  }

  private static List<RawHeader> headers(ConsumerRecord<byte[], byte[]> record) {
    List<RawHeader> out = new ArrayList<>();
    for (Header header : record.headers()) {
      out.add(new RawHeader(header.key(), header.value()));
    }
    return out;
  }
}
