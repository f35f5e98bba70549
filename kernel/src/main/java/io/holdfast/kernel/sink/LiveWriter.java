package io.holdfast.kernel.sink;

import io.holdfast.kernel.rows.Block;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Hands the rows of a sink partition on as they come; what it knows of a batch that may last does not grow with it. */
final class LiveWriter implements DataWriter<InternalRow> {
  private static final int MOST_TO_RECALL = 100;
  private static final long EVERY_NANOS = 1_000_000_000L;
  private final Block.Reader reader = this::take;
  private final String query;
  private final LiveOutbox outbox;
  private final Originals originals;
  private final List<OutputRow> toRecall = new ArrayList<>();
  private Map<String, Map<String, Long>> counters = new HashMap<>();
  private long reported = System.nanoTime();

  LiveWriter(String query, LiveOutbox outbox, Originals originals) {
    this.query = query;
    this.outbox = outbox;
    this.originals = originals;
  }

  @Override
  public void write(InternalRow row) {
    Block.read(row.getBinary(0), reader);
    if (System.nanoTime() - reported >= EVERY_NANOS || toRecall.size() >= MOST_TO_RECALL) {
      report();
    }
  }

  private void take(byte[] bytes, int at, int length) {
    OutputRow output = OutputRow.decode(bytes, at, length);
    if (output.counted() != null) {
      count(output);
    } else if (output.recall) {
      toRecall.add(output);
    } else {
      outbox.send(output);
    }
  }

  private void count(OutputRow output) {
    // When tasks wait for the clock is nobody's business here: they hear of it all the time.
    if (!output.counted().equals(OutputRow.WAKE)) {
      counters.computeIfAbsent(output.counted(), kind -> new HashMap<>()).merge(
          new String(output.key, StandardCharsets.UTF_8), Long.parseLong(new String(output.value, StandardCharsets.US_ASCII)),
          OutputRow.merger(output.counted()));
    }
  }

  /** Tells those who watch the query, if they are in this process; others hear of it when the batch ends. */
  private void report() {
    reported = System.nanoTime();
    outbox.check();
    recall();
    if (SparkEnv.get().executorId().equals("driver")) {
      SinkProgress.of(query).add(counted(outbox.take()));
    }
  }

  private void recall() {
    if (!toRecall.isEmpty()) {
      originals.fill(toRecall).forEach(outbox::send);
      toRecall.clear();
    }
  }

  private Delivered counted(Delivered delivered) {
    delivered.counters.putAll(counters);
    counters = new HashMap<>();
    return delivered;
  }

  @Override
  public WriterCommitMessage commit() {
    recall();
    return counted(outbox.commit());
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
