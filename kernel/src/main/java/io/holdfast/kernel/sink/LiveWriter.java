package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Hands the rows of a sink partition on as they come; what it knows of a batch that may last does not grow with it. */
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
    // When tasks wait for the clock is nobody's business here: they hear of it all the time.
    if (!output.counted().equals(OutputRow.WAKE)) {
      super.count(output);
    }
  }

  /** Tells those who watch the query, if they are in this process; others hear of it when the batch ends. */
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
