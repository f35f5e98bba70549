package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Questions about times and sizes, answered by a consumer of the driver's own. */
final class KafkaLog implements Alignment.Log, AutoCloseable {
  private static final int SAMPLE = 64;
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private final Map<String, Object> settings;
  private KafkaConsumer<byte[], byte[]> consumer;

  KafkaLog(Map<String, Object> settings) {
    this.settings = settings;
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    if (consumer == null) {
      consumer = PlainConsumer.open(settings, "earliest", Map.of(
          ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, String.valueOf(64 << 10),
          ConsumerConfig.FETCH_MAX_BYTES_CONFIG, String.valueOf(4 << 20),
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"));
    }
    return consumer;
  }

  @Override
  public synchronized Map<TopicPartition, Long> firstAtOrAfter(Set<TopicPartition> partitions, long time) {
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(p -> times.put(p, Math.max(0, time)));
    Map<TopicPartition, Long> out = new HashMap<>();
    consumer().offsetsForTimes(times).forEach((p, found) -> {
      if (found != null) {
        out.put(p, found.offset());
      }
    });
    return out;
  }

  @Override
  public synchronized Map<TopicPartition, Alignment.Head> heads(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> ends = consumer().endOffsets(offsets.keySet());
    Map<TopicPartition, Long> open = new HashMap<>(offsets);
    open.entrySet().removeIf(e -> ends.get(e.getKey()) <= e.getValue());
    Map<TopicPartition, Alignment.Head> out = new HashMap<>();
    // A partition that gives nothing in time (a gap left by compaction) is taken without a head.
    for (int attempt = 0; !open.isEmpty() && attempt < 20; attempt++) {
      consumer().assign(open.keySet());
      open.forEach(consumer()::seek);
      var found = consumer().poll(PATIENCE);
      for (TopicPartition p : found.partitions()) {
        out.put(p, head(found.records(p)));
        open.remove(p);
      }
    }
    consumer().unsubscribe();
    return out;
  }

  private static Alignment.Head head(java.util.List<ConsumerRecord<byte[], byte[]>> records) {
    int n = Math.min(SAMPLE, records.size());
    long bytes = 0;
    for (ConsumerRecord<byte[], byte[]> r : records.subList(0, n)) {
      bytes += Math.max(0, r.serializedKeySize()) + Math.max(0, r.serializedValueSize());
    }
    return new Alignment.Head(records.get(0).timestamp(), (double) bytes / n);
  }

  @Override
  public synchronized void close() {
    if (consumer != null) {
      consumer.close();
      consumer = null;
    }
  }
}
