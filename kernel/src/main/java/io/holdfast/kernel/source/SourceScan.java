package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.kafka010.KafkaSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Spark's own scan of the topics with an ingest program behind it. */
final class SourceScan implements Scan {
  private static final String PROGRAM = "program";
  private static final Map<String, String> DEFAULTS = Map.of(
    "includeHeaders", "true",
    "startingOffsets", "earliest",
    "kafka.isolation.level", "read_committed",
    "kafka.fetch.max.bytes", String.valueOf(200 << 20),
    "kafka.max.partition.fetch.bytes", String.valueOf(16 << 20),
    "kafka.max.poll.records", "3000",
    "kafka.receive.buffer.bytes", String.valueOf(4 << 20));

  private final String program;
  private final SourceConfig config;
  private final Scan kafka;

  SourceScan(CaseInsensitiveStringMap options) {
    program = options.get(PROGRAM);
    if (program == null) {
      throw new IllegalArgumentException("the source wants the option 'program'");
    }
    config = SourceConfig.of(options);
    CaseInsensitiveStringMap settings = settings(options);
    kafka = new KafkaSourceProvider().getTable(settings).newScanBuilder(settings).build();
  }

  private static CaseInsensitiveStringMap settings(CaseInsensitiveStringMap options) {
    Map<String, String> settings = new HashMap<>(options.asCaseSensitiveMap());
    settings.keySet().removeIf(name -> PROGRAM.equalsIgnoreCase(name) || SourceConfig.isOwn(name));
    DEFAULTS.forEach((name, value) -> {
      if (!options.containsKey(name)) {
        settings.put(name, value);
      }
    });
    return new CaseInsensitiveStringMap(settings);
  }

  @Override
  public StructType readSchema() {
    return HoldfastSource.SCHEMA;
  }

  @Override
  public String description() {
    return kafka.description();
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return kafka.supportedCustomMetrics();
  }

  @Override
  public MicroBatchStream toMicroBatchStream(String checkpointLocation) {
    return new SourceStream(kafka.toMicroBatchStream(checkpointLocation), program, config);
  }
}
