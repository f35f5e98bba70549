package io.holdfast.kernel.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.substring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.kernel.plan.Plan;
import io.holdfast.kernel.plan.PlanCompiler;
import io.holdfast.kernel.source.ClientSettings;
import io.holdfast.kernel.source.IngestProgramCodec;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.workers.PythonWorkerPool;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.Trigger;

/**
 * Starts an app as one Spark query: source, stages, sink.
 *
 * <p>Options (JSON): name, checkpoint, width (of the checkpoint's epochs so far, if there are any), trigger (milliseconds, "available-now", or "real-time"), kafka {client settings}, source {options},
 * sink {options}.
 */
public final class Query {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<Map<String, String>> SETTINGS = new TypeReference<>() {};
  private static final String PAYLOAD = "payload";
  private static final String PARTITIONS = "spark.sql.shuffle.partitions";

  private static final String LIVE = "real-time";
  private static final long NEVER_DAYS = 36_500;

  private Query() {}

  /**
   * @param frames the DataFrames that the app reads besides topics, by node
   */
  public static StreamingQuery start(
      SparkSession spark, String planJson, String optionsJson, Map<String, Dataset<Row>> frames)
      throws JsonProcessingException, TimeoutException {
    Plan plan = PlanCompiler.compile(planJson);
    JsonNode options = JSON.readTree(optionsJson);
    prepare(spark, plan);
    HadoopSettings.forgetOrigins(spark.sparkContext().hadoopConfiguration());
    TreeMap<String, String> clients = new TreeMap<>(JSON.convertValue(options.path("kafka"), SETTINGS));
    ClientSettings.register(options.get("name").asText(), clients);
    Dataset<byte[]> rows = plan.topics().isEmpty() ? null : read(spark, plan, options);
    for (String frame : plan.frames()) {
      Dataset<byte[]> more = DataFrameRecords.read(frame, frames.get(frame), plan.ingest(), clients);
      rows = rows == null ? more : rows.union(more);
    }
    for (Program stage : plan.stages()) {
      rows = rows.toDF(PAYLOAD)
          .groupBy(substring(col(PAYLOAD), 1, 2).as("task"))
          .as(Encoders.BINARY(), Encoders.BINARY())
          .transformWithState(new StageProcessor(new StageTaskPool(stage, clients), isLive(options)), TimeMode.None(), OutputMode.Update(), Encoders.BINARY());
    }
    Dataset<Row> out = rows.toDF(PAYLOAD);
    DataStreamWriter<Row> writer = write(plan.stages().isEmpty() && !isLive(options) ? ofFixedWidth(spark, plan, options, out) : out, options);
    return startWithin(spark, width(spark, plan, options), writer);
  }

  /** Python takes a while to start: where tasks run in this process, it does so while Spark makes its plan. */
  private static void prepare(SparkSession spark, Plan plan) {
    PythonWorkerPool python = plan.ingest().program().python();
    if (python != null && spark.sparkContext().isLocal()) {
      python.prepare(Math.min(plan.ingest().labels().size(), spark.sparkContext().defaultParallelism()));
    }
  }

  /** The width of the epochs so far; at first as many partitions as the session has, and at most as many as there are tasks. */
  private static int width(SparkSession spark, Plan plan, JsonNode options) {
    int chosen = Math.min(plan.ingest().labels().size(), Integer.parseInt(spark.conf().get(PARTITIONS)));
    return options.path("width").asInt(chosen);
  }

  /** Starts it with so many partitions; the query keeps what the session has at its start. */
  private static StreamingQuery startWithin(SparkSession spark, int width, DataStreamWriter<Row> writer) throws TimeoutException {
    String before = spark.conf().get(PARTITIONS);
    spark.conf().set(PARTITIONS, width);
    try {
      return writer.start();
    } finally {
      spark.conf().set(PARTITIONS, before);
    }
  }

  /**
   * A sink partition must have the same rows when an epoch is repeated; those of the source differ from run to run, and the number
   * of cores may, so that a checkpoint keeps the width of its first run.
   */
  private static Dataset<Row> ofFixedWidth(SparkSession spark, Plan plan, JsonNode options, Dataset<Row> rows) {
    return rows.repartition(width(spark, plan, options), substring(col(PAYLOAD), 1, 2));
  }

  private static Dataset<byte[]> read(SparkSession spark, Plan plan, JsonNode options) {
    DataStreamReader reader = spark.readStream()
        .format("io.holdfast.kernel.source.HoldfastSource")
        .option("subscribe", String.join(",", plan.topics()))
        .option("tables", String.join(",", plan.tables()))
        .option("idle", text(plan.idle()))
        .option("maxAhead", text(plan.ingest().maxAhead()))
        .option("wall", plan.wall())
        .option("stamped", plan.ingest().isStamped())
        .option("query", options.get("name").asText())
        .option(ClientSettings.OPTION, options.get("name").asText())
        .option("program", IngestProgramCodec.encode(plan.ingest()));
    options.path("source").fields().forEachRemaining(o -> reader.option(o.getKey(), o.getValue().asText()));
    return reader.load().as(Encoders.BINARY());
  }

  private static String text(Map<String, Long> byTopic) {
    return byTopic.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(","));
  }

  private static DataStreamWriter<Row> write(Dataset<Row> rows, JsonNode options) {
    DataStreamWriter<Row> writer = rows.writeStream()
        .format("io.holdfast.kernel.sink.HoldfastSink")
        .queryName(options.get("name").asText())
        .outputMode("update")
        .option("query", options.get("name").asText())
        .option(ClientSettings.OPTION, options.get("name").asText())
        .option("checkpointLocation", options.get("checkpoint").asText())
        .trigger(trigger(options.get("trigger")));
    options.path("sink").fields().forEachRemaining(o -> writer.option(o.getKey(), o.getValue().asText()));
    return writer;
  }

  private static Trigger trigger(JsonNode trigger) {
    if (trigger.asText().equals(LIVE)) {
      // The source ends its batches itself.
      return Trigger.RealTime(NEVER_DAYS, TimeUnit.DAYS);
    }
    return trigger.isTextual() ? Trigger.AvailableNow() : Trigger.ProcessingTime(trigger.asLong());
  }

  private static boolean isLive(JsonNode options) {
    return options.get("trigger").asText().equals(LIVE);
  }
}
