package io.holdfast.kernel.sink;

import io.holdfast.kernel.source.RawHeader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Headers;

/** Sends as records come and waits for their arrival at the commit: at least once. */
final class KafkaOutbox implements Outbox {
  static final String EPOCH_HEADER = "hf-epoch";

  private final Map<String, Object> settings;
  private final byte[] epoch;
  private final Delivered delivered = new Delivered();
  private KafkaProducer<byte[], byte[]> producer;
  private volatile KafkaException failure;
  private boolean committed;

  KafkaOutbox(Map<String, Object> settings, long epoch) {
    this.settings = settings;
    this.epoch = Long.toString(epoch).getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void send(OutputRow row) {
    check();
    if (producer == null) {
      producer = Producers.take(settings);
    }
    delivered.count(row.topic);
    if (row.topic.endsWith("-dead-letters") && row.header("hf-reason") != null) {
      delivered.reason(row.header("hf-reason"));
    }
    try {
      producer.send(record(row), (metadata, error) -> arrived(row.topic, row.changelog, metadata, error));
    } catch (RuntimeException e) {
      throw failed(row.topic, e);
    }
  }

  private ProducerRecord<byte[], byte[]> record(OutputRow row) {
    Integer partition = row.partition == OutputRow.ANY ? null : row.partition;
    Long timestamp = row.timestamp < 0 ? null : row.timestamp;
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(row.topic, partition, timestamp, row.key, row.value);
    Headers headers = record.headers();
    if (row.headers != null) {
      for (RawHeader header : row.headers) {
        headers.add(header.name(), header.value());
      }
    }
    if (row.changelog) {
      headers.add(EPOCH_HEADER, epoch);
    }
    return record;
  }

  // Runs on the producer's thread; the flush in commit makes what it wrote visible.
  private void arrived(String topic, boolean changelog, RecordMetadata metadata, Exception error) {
    if (error != null) {
      failure = failure == null ? failed(topic, error) : failure;
    } else if (changelog) {
      delivered.changelog(topic, metadata.partition(), metadata.offset());
    }
  }

  @Override
  public Delivered commit() {
    if (producer != null) {
      producer.flush();
    }
    check();
    committed = true;
    return delivered;
  }

  @Override
  public void abort() {
    committed = false;
  }

  @Override
  public void close() {
    if (producer == null) {
      return;
    }
    if (committed) {
      Producers.give(settings, producer);
    } else {
      Producers.discard(producer);
    }
    producer = null;
  }

  private void check() {
    if (failure != null) {
      throw failure;
    }
  }

  private static KafkaException failed(String topic, Exception cause) {
    return new KafkaException("could not write to topic '" + topic + "': " + cause.getMessage(), cause);
  }
}
