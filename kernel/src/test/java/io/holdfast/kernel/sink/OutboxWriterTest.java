package io.holdfast.kernel.sink;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.records.TopicLimits;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** However many dead letters a batch has, few of them wait at the same time to be read again. */
public final class OutboxWriterTest {
  private static final Checks CHECK = new Checks();

  private OutboxWriterTest() {}

  public static void main(String[] args) {
    bounded("small", 20_000, 10, 1_000);
    bounded("large", 200, 1 << 20, 8);
    CHECK.end();
  }

  private static void bounded(String name, int letters, int bytes, int most) {
    CountingStore originals = new CountingStore();
    Sent sent = new Sent();
    SinkWriter writer = new SinkWriter(sent, originals, new DeadLetterTrimmer("letters", TopicLimits.WITHOUT_KAFKA));
    byte[] payload = letter(bytes).encode((short) 1);
    int waiting = 0;
    for (int i = 0; i < letters; i++) {
      writer.write(row(payload));
      waiting = Math.max(waiting, writer.waiting());
    }
    CHECK.equal(name + ": at most " + most + " wait, " + waiting + " did", true, waiting <= most && originals.most <= most);
    writer.commit();
    CHECK.equal(name + ": all are sent", letters, sent.rows);
  }

  private static OutputRow letter(int bytes) {
    RawHeader[] headers = {RawHeader.ofText("hf-topic", "t"), RawHeader.ofText("hf-partition", "0"), RawHeader.ofText("hf-offset", "0")};
    return new OutputRow("letters", OutputRow.ANY, 0, null, new byte[bytes], headers, false).recalling();
  }

  private static InternalRow row(byte[] payload) {
    return new GenericInternalRow(new Object[] {payload});
  }

  private static final class CountingStore extends OriginalRecords {
    private int most;

    CountingStore() {
      super(Map.of());
    }

    @Override
    void fill(List<OutputRow> rows, Consumer<OutputRow> out) {
      most = Math.max(most, rows.size());
      rows.forEach(out);
    }
  }

  private static final class Sent implements Outbox {
    private int rows;

    @Override
    public void send(OutputRow row) {
      rows++;
    }

    @Override
    public PartitionCommit commit() {
      return new PartitionCommit("app");
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
  }
}
