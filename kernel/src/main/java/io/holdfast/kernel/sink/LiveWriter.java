package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Writes the rows of a sink partition in real-time mode; its memory does not grow with the epoch. */
final class LiveWriter extends OutboxWriter<LiveOutbox> {
  private static final int MOST_TO_RECALL = 100;
  private static final long EVERY_NANOS = 1_000_000_000L;
  private final String query;
  private long reported = System.nanoTime();

  LiveWriter(String query, LiveOutbox outbox, OriginalRecords originals, DeadLetterTrimmer letters) {
    super(outbox, originals, letters);
    this.query = query;
  }

  @Override
  public void write(InternalRow row) {
    super.write(row);
    if (System.nanoTime() - reported >= EVERY_NANOS || waiting() >= MOST_TO_RECALL) {
      report();
    }
  }

  @Override
  void count(OutputRow output) {
    // Wall-clock timers need not be scheduled in real-time mode: the tasks get the wall clock all the time.
    if (!output.counted().equals(OutputRow.WAKE)) {
      super.count(output);
    }
  }

  /** Reports to the query's progress, if that is in this process; otherwise the epoch's end does. */
  private void report() {
    reported = System.nanoTime();
    outbox.check();
    recall();
    if (SparkEnv.get().executorId().equals("driver")) {
      SinkProgress.of(query).add(counted(outbox.delivered()));
    }
  }

  @Override
  public WriterCommitMessage commit() {
    recall();
    return counted(outbox.commit());
  }
}
