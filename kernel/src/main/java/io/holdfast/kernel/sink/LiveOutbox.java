package io.holdfast.kernel.sink;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/** Sends each record at once, without a transaction: at least once. What has arrived may be asked for while the batch goes on. */
final class LiveOutbox implements Outbox {
  private final Map<String, Object> settings;
  private final long epoch;
  private Delivered delivered = new Delivered();
  private KafkaProducer<byte[], byte[]> producer;
  private volatile KafkaException failure;
  private boolean committed;

  LiveOutbox(Map<String, Object> settings, long epoch) {
    this.settings = settings;
    this.epoch = epoch;
  }

  @Override
  public void send(OutputRow row) {
    check();
    if (producer == null) {
      producer = Producers.take(settings);
    }
    try {
      producer.send(Records.of(row, epoch, producer), (metadata, error) -> arrived(row, metadata, error));
    } catch (RuntimeException e) {
      throw failed(row.topic, e);
    }
  }

  /** Runs on the producer's thread. */
  private synchronized void arrived(OutputRow row, RecordMetadata metadata, Exception error) {
    if (error != null) {
      failure = failure == null ? failed(row.topic, error) : failure;
      return;
    }
    delivered.arrived(row, System.currentTimeMillis());
    if (row.changelog) {
      delivered.changelog(row.topic, metadata.partition(), metadata.offset());
    }
  }

  /** Gives what has arrived since the last time; the rest comes with the commit. */
  synchronized Delivered take() {
    Delivered taken = delivered;
    delivered = new Delivered();
    return taken;
  }

  @Override
  public Delivered commit() {
    if (producer != null) {
      producer.flush();
    }
    check();
    committed = true;
    return take();
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

  /** Fails if a record could not be written. */
  void check() {
    if (failure != null) {
      throw failure;
    }
  }

  private static KafkaException failed(String topic, Exception cause) {
    return new KafkaException("could not write to topic '" + topic + "': " + cause.getMessage(), cause);
  }
}
