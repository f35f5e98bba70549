package io.holdfast.kernel.source;

import io.holdfast.kernel.records.RawRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;

/** Reads a Kafka partition in chunks, runs the ingest program on each and returns its payloads one by one. */
final class SourceReader implements PartitionReader<InternalRow> {
  private static final int CHUNK_RECORDS = 4096;
  private static final long CHUNK_BYTES = 8 << 20;

  private final KafkaRecords kafka;
  private final Ingest ingest;
  private final List<RawRecord> chunk = new ArrayList<>(CHUNK_RECORDS);
  private final List<byte[]> payloads = new ArrayList<>(CHUNK_RECORDS);
  private final PayloadRow row = new PayloadRow(256);
  private int next;
  private boolean finished;

  SourceReader(KafkaRecords kafka, Ingest ingest) {
    this.kafka = kafka;
    this.ingest = ingest;
  }

  @Override
  public boolean next() {
    while (++next >= payloads.size()) {
      if (!runChunk()) {
        return false;
      }
    }
    return true;
  }

  private boolean runChunk() {
    chunk.clear();
    payloads.clear();
    next = -1;
    long bytes = 0;
    RawRecord record;
    while (chunk.size() < CHUNK_RECORDS && bytes < CHUNK_BYTES && (record = kafka.next()) != null) {
      bytes += record.value() == null ? 0 : record.value().length;
      chunk.add(record);
    }
    if (chunk.isEmpty() && finished) {
      return false;
    }
    if (chunk.isEmpty()) {
      finished = true;
      ingest.finish(payloads::add);
    } else {
      ingest.run(chunk, payloads::add);
    }
    return true;
  }

  @Override
  public InternalRow get() {
    return row.of(payloads.get(next));
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return kafka.metrics();
  }

  @Override
  public void close() {
    try {
      ingest.close();
    } finally {
      kafka.close();
    }
  }
}
