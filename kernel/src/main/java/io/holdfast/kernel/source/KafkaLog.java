package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** Answers queries of times and sizes with a consumer of the driver's own. */
final class KafkaLog implements Alignment.Log, AutoCloseable {
  private static final int SAMPLE = 64;
  private static final Duration ONE_WAIT = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private final Map<String, Object> settings;
  private final Duration timeout;
  private final TimeLimits limits;
  private KafkaConsumer<byte[], byte[]> consumer;

  KafkaLog(Map<String, Object> settings, TimeLimits limits) {
    this(settings, limits, TIMEOUT);
  }

  KafkaLog(Map<String, Object> settings, TimeLimits limits, Duration timeout) {
    this.settings = settings;
    this.limits = limits;
    this.timeout = timeout;
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    if (consumer == null) {
      consumer = UngroupedConsumers.open(settings, "earliest", Map.of(
          ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, String.valueOf(64 << 10),
          ConsumerConfig.FETCH_MAX_BYTES_CONFIG, String.valueOf(4 << 20),
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"));
    }
    return consumer;
  }

  @Override
  public synchronized Map<TopicPartition, Alignment.RecordPosition> firstAtOrAfter(Set<TopicPartition> partitions, long time) {
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(p -> times.put(p, Math.max(0, time)));
    Map<TopicPartition, Alignment.RecordPosition> out = new HashMap<>();
    consumer().offsetsForTimes(times).forEach((p, found) -> {
      if (found != null) {
        out.put(p, new Alignment.RecordPosition(found.offset(), found.timestamp()));
      }
    });
    return out;
  }

  @Override
  public synchronized Map<TopicPartition, Long> earliest(Set<TopicPartition> partitions) {
    return consumer().beginningOffsets(partitions);
  }

  @Override
  public synchronized Map<TopicPartition, Alignment.Head> heads(Map<TopicPartition, Long> from, Map<TopicPartition, Long> until) {
    Map<TopicPartition, Long> open = new HashMap<>(from);
    open.entrySet().removeIf(e -> until.get(e.getKey()) <= e.getValue());
    Map<TopicPartition, Alignment.Head> out = new HashMap<>();
    consumer().assign(open.keySet());
    open.forEach(consumer()::seek);
    long begun = System.nanoTime();
    while (!open.isEmpty()) {
      var found = consumer().poll(ONE_WAIT);
      for (TopicPartition p : found.partitions()) {
        out.put(p, head(found.records(p)));
      }
      // Where no record comes before the end there are only gaps.
      open.keySet().removeIf(p -> out.containsKey(p) || consumer().position(p) >= until.get(p));
      if (!open.isEmpty() && System.nanoTime() - begun > timeout.toNanos()) {
        // Without a head, the partition would not be counted against the limits.
        throw new TimeoutException("Kafka gave no record of " + open.keySet() + " in " + timeout.toMillis() + " ms");
      }
      // The remaining partitions continue at their positions.
      consumer().assign(open.keySet());
    }
    consumer().unsubscribe();
    return out;
  }

  private Alignment.Head head(java.util.List<ConsumerRecord<byte[], byte[]>> records) {
    int n = Math.min(SAMPLE, records.size());
    long bytes = 0;
    for (ConsumerRecord<byte[], byte[]> r : records.subList(0, n)) {
      bytes += Math.max(0, r.serializedKeySize()) + Math.max(0, r.serializedValueSize());
    }
    return new Alignment.Head(records.get(0).offset(), time(records), (double) bytes / n);
  }

  /** The first time that is not refused; records without such a time do not advance time, and may be read at once. */
  private long time(java.util.List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().filter(r -> !limits.isRefused(r.topic(), r.timestamp())).mapToLong(ConsumerRecord::timestamp).findFirst().orElse(0);
  }

  @Override
  public synchronized void close() {
    if (consumer != null) {
      consumer.close();
      consumer = null;
    }
  }
}
