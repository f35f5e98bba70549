package io.holdfast.kernel.sink;

import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Hands the rows of one sink partition and epoch to its outbox. */
final class SinkWriter extends OutboxWriter<Outbox> {
  SinkWriter(Outbox outbox, OriginalRecords originals, DeadLetterTrimmer letters) {
    super(outbox, originals, letters);
  }

  @Override
  public WriterCommitMessage commit() {
    recall();
    PartitionCommit delivered = outbox.commit();
    delivered.committed();
    return counted(delivered);
  }
}
