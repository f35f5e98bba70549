package io.holdfast.kernel.source;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/** Spark's stream of the topics, its offsets and limits unchanged, with our readers. */
final class SourceStream implements MicroBatchStream, SupportsTriggerAvailableNow, ReportsSourceMetrics {
  private final MicroBatchStream kafka;
  private final SupportsTriggerAvailableNow limits;
  private final ReportsSourceMetrics metrics;
  private final String program;
  private final String query;

  SourceStream(MicroBatchStream kafka, String program, String query) {
    this.kafka = kafka;
    this.limits = (SupportsTriggerAvailableNow) kafka;
    this.metrics = (ReportsSourceMetrics) kafka;
    this.program = program;
    this.query = query;
  }

  @Override
  public Offset initialOffset() {
    return kafka.initialOffset();
  }

  @Override
  public Offset latestOffset() {
    return kafka.latestOffset();
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    return Brake.isOn(query) ? start : limits.latestOffset(start, limit);
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return limits.getDefaultReadLimit();
  }

  @Override
  public Offset reportLatestOffset() {
    return limits.reportLatestOffset();
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    limits.prepareForTriggerAvailableNow();
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    return kafka.planInputPartitions(start, end);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new SourceReaderFactory(program);
  }

  @Override
  public Offset deserializeOffset(String json) {
    return kafka.deserializeOffset(json);
  }

  @Override
  public void commit(Offset end) {
    kafka.commit(end);
  }

  @Override
  public void stop() {
    kafka.stop();
  }

  @Override
  public Map<String, String> metrics(Optional<Offset> latestConsumedOffset) {
    return metrics.metrics(latestConsumedOffset);
  }

  @Override
  public String toString() {
    return kafka.toString();
  }
}
