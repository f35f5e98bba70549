package io.holdfast.kernel.sink;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Hands the rows of one sink partition and epoch to its outbox. */
final class SinkWriter implements DataWriter<InternalRow> {
  private final Outbox outbox;
  private final Originals originals;
  private final List<OutputRow> toRecall = new ArrayList<>();

  SinkWriter(Outbox outbox, Originals originals) {
    this.outbox = outbox;
    this.originals = originals;
  }

  @Override
  public void write(InternalRow row) {
    byte[] payload = row.getBinary(0);
    if (!OutputRow.is(payload)) {
      throw new IllegalStateException("a row that is not an output reached the sink");
    }
    OutputRow output = OutputRow.decode(payload);
    if (output.recall) {
      toRecall.add(output);
    } else {
      outbox.send(output);
    }
  }

  @Override
  public WriterCommitMessage commit() {
    if (!toRecall.isEmpty()) {
      originals.fill(toRecall).forEach(outbox::send);
    }
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
