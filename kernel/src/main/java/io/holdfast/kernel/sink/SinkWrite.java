package io.holdfast.kernel.sink;

import io.holdfast.kernel.ops.Faults;
import io.holdfast.kernel.source.Alarm;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;

/** The driver's side of an epoch: collects what the partitions wrote and publishes the epoch. */
final class SinkWrite implements StreamingWrite {
  private final String queryId;
  private final SinkConfig config;

  SinkWrite(String queryId, SinkConfig config) {
    this.queryId = queryId;
    this.config = config;
  }

  @Override
  public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
    SinkConfig settings = config;
    String query = queryId;
    if (config.live()) {
      return (partition, task, epoch) ->
          new LiveWriter(query, new LiveOutbox(settings.producer(), epoch), new Originals(settings.consumer()));
    }
    return (partition, task, epoch) -> new SinkWriter(outbox(settings, query, partition, epoch), new Originals(settings.consumer()));
  }

  private static Outbox outbox(SinkConfig config, String query, int partition, long epoch) {
    if (config.markers() == null) {
      return new KafkaOutbox(config.producer(), epoch);
    }
    return new TransactionalOutbox(config, query, partition, epoch, TaskContext.get().attemptNumber() > 0);
  }

  @Override
  public boolean useCommitCoordinator() {
    return false;
  }

  @Override
  public void commit(long epoch, WriterCommitMessage[] messages) {
    Faults.at("before-epoch");
    SinkProgress progress = SinkProgress.of(queryId);
    progress.begin(config.ends());
    long next = Long.MAX_VALUE;
    for (WriterCommitMessage message : messages) {
      Delivered delivered = (Delivered) message;
      next = Math.min(next, delivered.takeWake());
      progress.add(delivered);
    }
    Alarm.set(config.query(), next);
    if (config.meta() != null) {
      OutputRow row = progress.epochRecord(config.meta(), epoch, System.currentTimeMillis(), config.live());
      try (Outbox outbox = new KafkaOutbox(config.producer(), epoch)) {
        outbox.send(row);
        outbox.commit();
      }
    }
    Faults.at("after-epoch");
  }

  @Override
  public void abort(long epoch, WriterCommitMessage[] messages) {
    // At least once: what was sent stays, and the epoch is written again.
  }
}
