package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Headers;

/** Sends records without a transaction, and waits for their acknowledgements at the commit: at least once. */
abstract class AtLeastOnceOutbox implements Outbox {
  private final Map<String, Object> settings;
  private final Headers epoch;
  private KafkaProducer<byte[], byte[]> producer;
  private volatile KafkaException failure;
  private boolean committed;

  AtLeastOnceOutbox(Map<String, Object> settings, long epoch) {
    this.settings = settings;
    this.epoch = ProducerRecords.epoch(epoch);
  }

  /** Called when a record was handed to the producer. */
  void sent(OutputRow row) {}

  /** Called when a record was acknowledged; runs on the producer's thread. */
  abstract void arrived(OutputRow row, RecordMetadata metadata);

  /** The records that were acknowledged. */
  abstract PartitionCommit delivered();

  @Override
  public final void send(OutputRow row) {
    check();
    if (producer == null) {
      producer = ProducerPool.take(settings);
    }
    sent(row);
    try {
      producer.send(ProducerRecords.of(row, epoch, producer), (metadata, error) -> answered(row, metadata, error));
    } catch (RuntimeException e) {
      throw failed(row.topic, e);
    }
  }

  private void answered(OutputRow row, RecordMetadata metadata, Exception error) {
    if (error == null) {
      arrived(row, metadata);
    } else if (failure == null) {
      failure = failed(row.topic, error);
    }
  }

  @Override
  public final PartitionCommit commit() {
    if (producer != null) {
      producer.flush();
    }
    check();
    committed = true;
    return delivered();
  }

  @Override
  public final void abort() {
    committed = false;
  }

  @Override
  public final void close() {
    if (producer == null) {
      return;
    }
    if (committed) {
      ProducerPool.give(settings, producer);
    } else {
      ProducerPool.discard(producer);
    }
    producer = null;
  }

  /** Fails if a record could not be written. */
  final void check() {
    if (failure != null) {
      throw failure;
    }
  }

  private static KafkaException failed(String topic, Exception cause) {
    return new KafkaException("could not write to topic '" + topic + "': " + cause.getMessage(), cause);
  }
}
