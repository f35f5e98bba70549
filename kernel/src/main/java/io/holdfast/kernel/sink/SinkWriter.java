package io.holdfast.kernel.sink;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Hands the rows of one sink partition and epoch to its outbox. */
final class SinkWriter implements DataWriter<InternalRow> {
  private final Outbox outbox;

  SinkWriter(Outbox outbox) {
    this.outbox = outbox;
  }

  @Override
  public void write(InternalRow row) {
    byte[] payload = row.getBinary(0);
    if (!OutputRow.is(payload)) {
      throw new IllegalStateException("a row that is not an output reached the sink");
    }
    outbox.send(OutputRow.decode(payload));
  }

  @Override
  public WriterCommitMessage commit() {
    return outbox.commit();
  }

  @Override
  public void abort() {
    outbox.abort();
  }

  @Override
  public void close() {
    outbox.close();
  }
}
