package io.holdfast.kernel.sink;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/** Sends as records come and waits for their arrival at the commit: at least once. */
final class KafkaOutbox implements Outbox {
  private final Map<String, Object> settings;
  private final long epoch;
  private final Delivered delivered = new Delivered();
  private KafkaProducer<byte[], byte[]> producer;
  private volatile KafkaException failure;
  private boolean committed;

  KafkaOutbox(Map<String, Object> settings, long epoch) {
    this.settings = settings;
    this.epoch = epoch;
  }

  @Override
  public void send(OutputRow row) {
    check();
    if (producer == null) {
      producer = Producers.take(settings);
    }
    delivered.note(row);
    try {
      producer.send(Records.of(row, epoch, producer), (metadata, error) -> arrived(row.topic, row.changelog, metadata, error));
    } catch (RuntimeException e) {
      throw failed(row.topic, e);
    }
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
