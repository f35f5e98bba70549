package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.TopicNames;
import io.holdfast.kernel.rows.Block;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.unsafe.Platform;

/** Hands the rows of a sink partition to its outbox, adds up counters, and reads the source records of dead letters again. */
abstract class OutboxWriter<B extends Outbox> implements DataWriter<InternalRow> {
  /** How many rows at most wait for their source records: each has the record as its node saw it. */
  private static final int MOST_ROWS = 1_000;
  private static final long MOST_BYTES = 8L << 20;

  final B outbox;
  private final Block.Reader reader = this::take;
  private final TopicNames names = new TopicNames();
  private final OriginalRecords originals;
  private final DeadLetterTrimmer letters;
  private final List<OutputRow> toRecall = new ArrayList<>();
  private long bytesToRecall;
  private Map<String, Map<String, Long>> counters = new HashMap<>();

  OutboxWriter(B outbox, OriginalRecords originals, DeadLetterTrimmer letters) {
    this.outbox = outbox;
    this.originals = originals;
    this.letters = letters;
  }

  @Override
  public void write(InternalRow row) {
    if (row instanceof UnsafeRow one && one.getBaseObject() instanceof byte[] bytes) {
      long offsetAndSize = one.getLong(0);
      int begin = (int) (one.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET + (offsetAndSize >>> Integer.SIZE));
      Block.read(bytes, begin, (int) offsetAndSize, reader);
    } else {
      Block.read(row.getBinary(0), reader);
    }
  }

  private void take(byte[] bytes, int at, int length) {
    if (!OutputRow.is(bytes, at)) {
      throw new IllegalStateException("a row that is not an output reached the sink");
    }
    OutputRow output = OutputRow.decode(bytes, at, length, names);
    if (output.counted() != null) {
      count(output);
    } else if (output.recall) {
      toRecall.add(output);
      bytesToRecall += length;
      if (toRecall.size() >= MOST_ROWS || bytesToRecall >= MOST_BYTES) {
        recall();
      }
    } else {
      send(output);
    }
  }

  private void send(OutputRow row) {
    outbox.send(letters.fitted(row));
  }

  void count(OutputRow output) {
    counters.computeIfAbsent(output.counted(), kind -> new HashMap<>()).merge(
        new String(output.key, StandardCharsets.UTF_8), Long.parseLong(new String(output.value, StandardCharsets.US_ASCII)),
        OutputRow.merger(output.counted()));
  }

  /** How many rows wait for their source records. */
  final int waiting() {
    return toRecall.size();
  }

  /** Reads the source records of waiting rows, and sends the rows with them. */
  final void recall() {
    if (!toRecall.isEmpty()) {
      originals.fill(toRecall, this::send);
      toRecall.clear();
      bytesToRecall = 0;
    }
  }

  /** The same, with the counters since the last call. */
  final PartitionCommit counted(PartitionCommit delivered) {
    delivered.counters.putAll(counters);
    counters = new HashMap<>();
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
