package io.holdfast.kernel.sink;

import io.holdfast.kernel.rows.Block;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Hands the rows of one sink partition and epoch to its outbox. */
final class SinkWriter implements DataWriter<InternalRow> {
  private final Block.Reader reader = this::take;
  private final Outbox outbox;
  private final Originals originals;
  private final List<OutputRow> toRecall = new ArrayList<>();
  private final Map<String, Map<String, Long>> counters = new HashMap<>();

  SinkWriter(Outbox outbox, Originals originals) {
    this.outbox = outbox;
    this.originals = originals;
  }

  @Override
  public void write(InternalRow row) {
    Block.read(row.getBinary(0), reader);
  }

  private void take(byte[] bytes, int at, int length) {
    if (!OutputRow.is(bytes, at)) {
      throw new IllegalStateException("a row that is not an output reached the sink");
    }
    OutputRow output = OutputRow.decode(bytes, at, length);
    if (output.counted() != null) {
      counters.computeIfAbsent(output.counted(), kind -> new HashMap<>()).merge(
          new String(output.key, StandardCharsets.UTF_8), Long.parseLong(new String(output.value, StandardCharsets.US_ASCII)),
          OutputRow.merger(output.counted()));
    } else if (output.recall) {
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
    Delivered delivered = outbox.commit();
    delivered.committed();
    delivered.counters.putAll(counters);
    return delivered;
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
