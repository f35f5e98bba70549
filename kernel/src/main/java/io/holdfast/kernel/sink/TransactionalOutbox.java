package io.holdfast.kernel.sink;

import io.holdfast.kernel.errors.FencedException;
import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.ops.Faults;
import io.holdfast.kernel.records.OutputRow;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.Headers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the records of a sink partition and epoch, and their marker, in one transaction: exactly once. */
final class TransactionalOutbox implements Outbox {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionalOutbox.class);
  private static final byte[] KEY = "marker".getBytes(StandardCharsets.US_ASCII);
  private final SinkConfig config;
  private final String query;
  private final int partition;
  private final long epoch;
  private final EpochStart start;
  private final boolean retried;
  private final Headers epochHeader;
  private final PartitionCommit delivered;
  private final ChangelogEnds changelogs = new ChangelogEnds(this::lost);
  private final Callback arrived = (metadata, error) -> {
    if (error != null) {
      lost(error);
    }
  };
  private TransactionalProducers.PooledProducer pooled;
  private boolean open;
  private long begun;
  private boolean done;
  private boolean clean;
  private volatile Exception failure;

  /**
   * @param retried whether an attempt of the task has failed before, so that a pooled producer may have been fenced
   */
  TransactionalOutbox(SinkConfig config, String query, int partition, long epoch, EpochStart start, boolean retried) {
    this.config = config;
    this.delivered = new PartitionCommit(config.query());
    this.query = query;
    this.partition = partition;
    this.epoch = epoch;
    this.start = start;
    this.epochHeader = ProducerRecords.epoch(epoch);
    this.retried = retried;
  }

  @Override
  public void send(OutputRow row) {
    begin();
    if (done) {
      return;
    }
    check();
    delivered.note(row);
    try {
      pooled.producer.send(ProducerRecords.of(row, epochHeader, pooled.producer), row.changelog ? changelogs.of(row.topic) : arrived);
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Takes the producer and checks whether the epoch is written already. */
  private void begin() {
    if (pooled != null) {
      return;
    }
    try {
      pooled = TransactionalProducers.take(config, query, partition, retried ? null : start.producers().get(partition));
    } catch (RuntimeException e) {
      throw failed(e);
    }
    done = pooled.last != null && isWritten(pooled.last);
    if (done) {
      delivered.ends.putAll(pooled.last.ends());
      LOG.info("query {}, epoch {}, sink partition {}: its output is written already, up to epoch {}; nothing is written again",
          query, epoch, partition, pooled.last.epoch());
    } else {
      pooled.producer.beginTransaction();
      begun = System.nanoTime();
      open = true;
    }
  }

  private boolean isWritten(Marker last) {
    if (!last.query().equals(query)) {
      throw new KernelError("", "", "the topic " + config.markers() + " has markers of another checkpoint of this app: its output is"
          + " there up to epoch " + last.epoch() + ". Put that checkpoint back; or, to write everything again, delete the topic");
    }
    if (last.epoch() < epoch) {
      return false;
    }
    if (last.epoch() == epoch ? last.digest() != null && !last.digest().equals(start.digest()) : !start.repeated()) {
      throw new KernelError("", "", "the output of epoch " + epoch + " is written already, up to epoch " + last.epoch() + ", by a run whose"
          + " batches ended elsewhere: the checkpoint is an older copy, and the topic that recorded the ends of epochs was deleted or is"
          + " another one. Put the newest copy of the checkpoint back; or, to write everything again, remove the app's directory of state");
    }
    return true;
  }

  // Runs on the producer's thread; the flush in commit makes its writes visible.
  private void lost(Exception error) {
    failure = failure == null ? error : failure;
  }

  @Override
  public PartitionCommit commit() {
    if (open) {
      try {
        pooled.producer.flush();
        check();
        changelogs.each(delivered.ends::put);
        Marker marker = new Marker(query, epoch, start.digest(), delivered.ends);
        pooled.producer.send(new ProducerRecord<>(config.markers(), partition, KEY, marker.bytes()), arrived);
        Faults.at("before-transaction");
        pooled.producer.commitTransaction();
        TransactionTimeout.note(config, openFor());
        pooled.last = marker;
        open = false;
        Faults.at("after-transaction");
      } catch (RuntimeException e) {
        throw failed(e);
      }
    }
    clean = true;
    delivered.producer = pooled == null ? null : pooled.name;
    return delivered;
  }

  @Override
  public void abort() {
    clean = false;
  }

  @Override
  public void close() {
    if (pooled == null) {
      return;
    }
    if (clean) {
      TransactionalProducers.give(config, partition, pooled);
    } else if (open) {
      TransactionAbort.now(pooled);
    } else {
      TransactionalProducers.discard(pooled);
    }
    pooled = null;
  }

  private void check() {
    if (failure != null) {
      throw failed(failure);
    }
  }

  /** For how many milliseconds the transaction is open. */
  private long openFor() {
    return (System.nanoTime() - begun) / 1_000_000;
  }

  private RuntimeException failed(Exception cause) {
    if (cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException) {
      if (open && openFor() >= pooled.timeout) {
        throw TransactionTimeout.exceeded(config, epoch, openFor(), pooled.timeout);
      }
      LOG.warn("query {}, epoch {}, sink partition {}: its producer was fenced by another attempt or instance ({})",
          query, epoch, partition, cause.toString());
      throw new FencedException("the producer of sink partition " + partition + " was fenced in epoch " + epoch, cause);
    }
    return new KafkaException("could not write the output of epoch " + epoch + ": " + cause.getMessage(), cause);
  }
}
