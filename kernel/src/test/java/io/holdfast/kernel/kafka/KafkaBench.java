package io.holdfast.kernel.kafka;

import io.holdfast.kernel.source.IngestProgramCodec;
import java.nio.file.Files;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/** Records per second through source and sink on two cores, against a broker whose address is the argument. */
public final class KafkaBench {
  private static final int RECORDS = 2_000_000;
  private static final String IN = "bench-in-" + System.nanoTime();
  private static final String OUT = "bench-out-" + System.nanoTime();

  private KafkaBench() {}

  public static void main(String[] args) throws Exception {
    SparkSession spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
      .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    Topics topics = new Topics(args[0]);
    topics.create(IN, 2);
    topics.create(OUT, 2);
    topics.send(() -> IntStream.range(0, RECORDS).mapToObj(i -> new ProducerRecord<byte[], byte[]>(
      IN, i & 1, null, Topics.bytes(String.valueOf(i % 1000)),
      Topics.bytes("{\"score\":" + i % 5000 + ",\"product_id\":6,\"player_id\":" + i % 1000 + "}"))).iterator());
    for (int round = 0; round < 4; round++) {
      run("Spark's source", spark.readStream().format("kafka").option("kafka.bootstrap.servers", args[0])
        .option("subscribe", IN).option("startingOffsets", "earliest").load().selectExpr("value").writeStream().format("noop"));
      run("our source", ours(spark, args[0]).writeStream().format("noop"));
      run("our source and sink", ours(spark, args[0]).writeStream().format("io.holdfast.kernel.sink.HoldfastSink")
        .option("kafka.bootstrap.servers", args[0]));
    }
    System.exit(0);
  }

  private static Dataset<Row> ours(SparkSession spark, String brokers) {
    return spark.readStream().format("io.holdfast.kernel.source.HoldfastSource").option("kafka.bootstrap.servers", brokers)
      .option("subscribe", IN).option("program", IngestProgramCodec.encode(new Copy(OUT, true))).load();
  }

  private static void run(String name, DataStreamWriter<Row> writer) throws Exception {
    StreamingQuery query = writer.trigger(Trigger.AvailableNow())
      .option("checkpointLocation", Files.createTempDirectory("bench").toString()).start();
    query.awaitTermination();
    long millis = query.recentProgress()[0].durationMs().get("addBatch");
    System.out.printf("%s: %,d/s%n", name, RECORDS * 1000L / millis);
  }
}
