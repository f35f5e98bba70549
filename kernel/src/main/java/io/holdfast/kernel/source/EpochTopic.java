package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
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
  private final Map<String, Object> settings;

  /**
   * The last records of the topic.
   *
   * @param term the highest of all starts; 0 if there was none
   * @param epochs those of one query from a given one on
   * @param newest the query that ran last; null if there was none
   * @param reached whether there is no such epoch before them
   * @param end the offset behind them
   */
  record Tail(long term, NavigableMap<Long, EpochEnds> epochs, String newest, boolean reached, long end) {}

  EpochTopic(String name, Map<String, String> kafka) {
    this.name = name;
    this.settings = new HashMap<>(kafka);
  }

  String name() {
    return name;
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
    return PlainConsumer.open(settings, "earliest", Map.of());
  }

  /** Reads back from the end, in growing steps, until the first epoch that is wanted has been met, or an earlier one. */
  Tail from(String query, long first) {
    TopicPartition place = new TopicPartition(name, 0);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(Set.of(place));
      long begin = consumer.beginningOffsets(Set.of(place)).get(place);
      long end = consumer.endOffsets(Set.of(place)).get(place);
      for (long step = FIRST_STEP;; step *= 8) {
        long from = Math.max(begin, end - step);
        Tail tail = between(consumer, place, from, end, query, first);
        if (from == begin || tail.reached) {
          return tail;
        }
      }
    }
  }

  /** The highest term among some records; 0 if they are gone. */
  long highestTerm(long from, long until) {
    TopicPartition place = new TopicPartition(name, 0);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(Set.of(place));
      return between(consumer, place, from, until, "", 0).term;
    }
  }

  private static Tail between(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition place, long from, long until, String query, long first) {
    long term = 0;
    String newest = null;
    boolean reached = false;
    NavigableMap<Long, EpochEnds> epochs = new TreeMap<>();
    consumer.seek(place, from);
    while (consumer.position(place) < until) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(place)) {
        EpochEnds ends = record.offset() < until ? EpochEnds.of(record.value()) : null;
        // An instance that was given up for dead may still write when another one has begun: that counts for nothing.
        if (ends == null || ends.term() < term) {
          continue;
        }
        term = ends.term();
        newest = ends.epoch() >= 0 ? ends.query() : newest;
        boolean own = ends.query().equals(query) && ends.epoch() >= 0;
        reached |= own && ends.epoch() <= first;
        if (own && ends.epoch() >= first) {
          epochs.put(ends.epoch(), ends);
        }
      }
    }
    return new Tail(term, epochs, newest, reached, until);
  }

  /** What is in a partition. */
  record Bounds(long begin, long end) {}

  /** What is in partitions; one that is not there is left out. */
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
