package io.holdfast.kernel.sink;

import io.holdfast.kernel.ops.Faults;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.source.EpochLog;
import io.holdfast.kernel.source.WallClockTimers;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;

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
          new LiveWriter(query, new LiveOutbox(settings, epoch), new OriginalRecords(settings.consumer()), DeadLetterTrimmer.of(settings));
    }
    EpochStart start = start(info.numPartitions());
    return (partition, task, epoch) ->
        new SinkWriter(outbox(settings, query, partition, epoch, start), new OriginalRecords(settings.consumer()), DeadLetterTrimmer.of(settings));
  }

  /** Records where the epoch ends before anything of it is written. */
  private EpochStart start(int width) {
    EpochLog epochs = EpochLog.of(config.query());
    boolean recorded = config.markers() != null && epochs != null;
    EpochLog.BegunEpoch begun = recorded ? epochs.begin(queryId, runningEpoch(), width) : new EpochLog.BegunEpoch(null, false);
    return new EpochStart(begun.digest(), begun.repeated(), LastWriters.of(config.markers()));
  }

  private static long runningEpoch() {
    return Long.parseLong(SparkSession.active().sparkContext().getLocalProperty(MicroBatchExecution.BATCH_ID_KEY()));
  }

  private static Outbox outbox(SinkConfig config, String query, int partition, long epoch, EpochStart start) {
    if (config.markers() == null) {
      return new KafkaOutbox(config, epoch);
    }
    TaskContext task = TaskContext.get();
    return new TransactionalOutbox(config, query, partition, epoch, start, task.attemptNumber() > 0 || task.stageAttemptNumber() > 0);
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
    for (int partition = 0; partition < messages.length; partition++) {
      PartitionCommit delivered = (PartitionCommit) messages[partition];
      if (delivered.producer != null) {
        LastWriters.note(config.markers(), partition, delivered.producer);
      }
      next = Math.min(next, delivered.takeWake());
      progress.add(delivered);
    }
    WallClockTimers.set(config.query(), next);
    // Replicas already have the epochs that followed this one when it ran first.
    EpochLog epochs = EpochLog.of(config.query());
    if (config.meta() != null && (epochs == null || config.live() || !epochs.isFollowed(epoch))) {
      Map<String, Map<Integer, Long>> read = epochs == null || config.live() ? Map.of() : epochs.readEnds(epoch);
      OutputRow row = progress.epochRecord(config.meta(), queryId, epoch, System.currentTimeMillis(), read, config.live());
      try (Outbox outbox = new KafkaOutbox(config, epoch)) {
        outbox.send(row);
        outbox.commit();
      }
    }
    Faults.at("after-epoch");
  }

  @Override
  public void abort(long epoch, WriterCommitMessage[] messages) {
    // Each writer has aborted its own transaction; records that were sent without one stay, and the epoch is written again.
  }
}
