package io.holdfast.kernel.source;

import io.holdfast.kernel.records.ForeignRecords;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The topic of an {@link EpochLog}: one partition, one record for each epoch and for each start. */
final class EpochTopic {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final long FIRST_STEP = 256;
  private final String name;
  private final TopicPartition only;
  private final Map<String, Object> settings;

  /**
   * The last records of the topic.
   *
   * @param term the highest of all starts; 0 if there was none
   * @param epochs those of one query from a given one on
   * @param newest the query that ran last; null if there was none
   * @param end the offset behind them
   */
  record Tail(long term, RecordedEpochs epochs, String newest, long end) {}

  /** Takes the records of epochs, with their offsets. */
  interface Visitor {
    void accept(EpochEnds ends, long offset);
  }

  EpochTopic(String name, Map<String, String> kafka) {
    this.name = name;
    this.only = new TopicPartition(name, 0);
    this.settings = new HashMap<>(kafka);
  }

  String name() {
    return name;
  }

  /** The only one. */
  TopicPartition partition() {
    return only;
  }

  Map<String, Object> settings() {
    return new HashMap<>(settings);
  }

  KafkaProducer<byte[], byte[]> producer() {
    Map<String, Object> config = new HashMap<>(settings);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    config.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, String.valueOf(4 << 20));
    config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    return new KafkaProducer<>(config);
  }

  KafkaConsumer<byte[], byte[]> consumer() {
    return UngroupedConsumers.open(settings, "earliest", Map.of());
  }

  /**
   * Reads backwards from the end, in growing steps, up to the first epoch that is wanted, or an earlier one.
   *
   * @param most how many epochs may be in memory
   */
  Tail from(String query, long first, int most) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(Set.of(only));
      long begin = consumer.beginningOffsets(Set.of(only)).get(only);
      long end = consumer.endOffsets(Set.of(only)).get(only);
      for (long step = FIRST_STEP;; step *= 8) {
        long from = Math.max(begin, end - step);
        boolean[] reached = {from == begin};
        String[] newest = {null};
        RecordedEpochs epochs = new RecordedEpochs(query, first, most);
        long term = read(consumer, from, end, (ends, offset) -> {
          newest[0] = ends.query();
          reached[0] |= ends.query().equals(query) && ends.epoch() <= first;
          epochs.add(ends, offset);
        });
        if (reached[0]) {
          return new Tail(term, epochs, newest[0], end);
        }
      }
    }
  }

  /** The highest term among some records; 0 if they are deleted. */
  long highestTerm(long from, long until) {
    return read(from, until, (ends, offset) -> { });
  }

  /** Passes the epochs among some records to a visitor; returns the highest term. */
  long read(long from, long until, Visitor visitor) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(Set.of(only));
      return read(consumer, from, until, visitor);
    }
  }

  private long read(KafkaConsumer<byte[], byte[]> consumer, long from, long until, Visitor visitor) {
    long term = 0;
    consumer.seek(only, from);
    while (consumer.position(only) < until) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(only)) {
        EpochEnds ends = record.offset() < until ? EpochEnds.of(record.value()) : null;
        if (ends == null && record.offset() < until) {
          ForeignRecords.log(name, record.partition(), record.offset(), "it is no record of an epoch");
        }
        // An older instance may still write after another one has started: such records are ignored.
        if (ends == null || ends.term() < term) {
          continue;
        }
        term = ends.term();
        if (!ends.isStart()) {
          visitor.accept(ends, record.offset());
        }
      }
    }
    return term;
  }

  /** The first offset of a partition, and the one behind its last record. */
  record Bounds(long begin, long end) {}

  /** The bounds of partitions; one that does not exist is left out. */
  Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
    Map<TopicPartition, Bounds> out = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      Set<TopicPartition> there = new HashSet<>(partitions);
      there.removeIf(partition -> consumer.partitionsFor(partition.topic()).stream().noneMatch(p -> p.partition() == partition.partition()));
      Map<TopicPartition, Long> begin = consumer.beginningOffsets(there);
      Map<TopicPartition, Long> end = consumer.endOffsets(there);
      there.forEach(partition -> out.put(partition, new Bounds(begin.get(partition), end.get(partition))));
    }
    return out;
  }
}
