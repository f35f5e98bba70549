package io.holdfast.kernel.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics of a test's broker. */
final class Topics {
  private final String brokers;

  Topics(String brokers) {
    this.brokers = brokers;
  }

  void create(String name, int partitions) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers))) {
      admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    }
  }

  void send(Iterable<ProducerRecord<byte[], byte[]>> records) {
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "linger.ms", "20", "batch.size", "200000");
    try (KafkaProducer<byte[], byte[]> producer =
      new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      records.forEach(producer::send);
    }
  }

  /** Sends so many transactions of so many records each. */
  void sendInTransactions(String topic, int transactions, int records) {
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "transactional.id", topic);
    try (KafkaProducer<byte[], byte[]> producer =
      new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.initTransactions();
      for (int t = 0; t < transactions; t++) {
        producer.beginTransaction();
        for (int i = 0; i < records; i++) {
          producer.send(new ProducerRecord<>(topic, bytes("k" + i), bytes("{\"n\":" + i + "}")));
        }
        producer.commitTransaction();
      }
    }
  }

  /** Every record of the topic now, partition by partition. */
  List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "auto.offset.reset", "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
      new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
        .map(info -> new TopicPartition(topic, info.partition())).toList();
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        consumer.poll(Duration.ofMillis(200)).forEach(all::add);
      }
    }
    return all;
  }

  /** The offset after the last record of each partition that has any. */
  Map<Integer, Long> ends(String topic) {
    Map<Integer, Long> ends = new TreeMap<>();
    read(topic).forEach(record -> ends.merge(record.partition(), record.offset() + 1, Math::max));
    return ends;
  }

  static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  static String string(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }
}
