package io.holdfast.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.kernel.Checks;
import io.holdfast.kernel.sink.HoldfastSink;
import io.holdfast.kernel.source.IngestProgramCodec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/** Source and sink through Spark and a real broker, whose address is the argument. */
public final class KafkaTest {
  private static final Checks CHECK = new Checks();
  private static final int RECORDS = 10_000;
  // Near the present, or the broker's retention deletes the records while the test runs.
  private static final long START = System.currentTimeMillis() - RECORDS - 1000;
  private static final String RUN = Long.toString(System.nanoTime(), 36);
  private static final String IN_A = "in-a-" + RUN;
  private static final String IN_B = "in-b-" + RUN;
  private static final String OUT = "out-" + RUN;
  private static final String GAPS = "gaps-" + RUN;
  private static final String GAPS_OUT = "gaps-out-" + RUN;
  private static final String LIVE = "live-" + RUN;
  private static final String META = "meta-" + RUN;

  private final String brokers;
  private final Topics topics;
  private final SparkSession spark;
  private final Path home = Files.createTempDirectory("holdfast-kafka-test");

  private KafkaTest(String brokers) throws Exception {
    this.brokers = brokers;
    this.topics = new Topics(brokers);
    this.spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2").config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.driver.host", "127.0.0.1").getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
  }

  public static void main(String[] args) throws Exception {
    KafkaTest test = new KafkaTest(args[0]);
    test.copies();
    test.gaps();
    test.liveQuery();
    test.refusals();
    test.spark.stop();
    CHECK.end();
  }

  private void copies() throws Exception {
    topics.create(IN_A, 3);
    topics.create(IN_B, 1);
    topics.create(OUT, 4);
    topics.create(META, 1);
    topics.send(records(0, RECORDS));
    Copy copy = new Copy(OUT, true);

    StreamingQuery query = drain(copy, "copies", Map.of("maxRecords", "3000"));
    CHECK.equal("records", shown(topics.read(IN_A), topics.read(IN_B)), shown(topics.read(OUT)));
    CHECK.equal("partitions by murmur2", topics.read(IN_A).size() + topics.read(IN_B).size(), placed(topics.read(OUT)));
    StreamingQueryProgress[] progress = query.recentProgress();
    CHECK.equal("several batches", true, progress.length >= 4);
    CHECK.equal("no lag at the end", "0", progress[progress.length - 1].sources()[0].metrics().get("maxOffsetsBehindLatest"));
    CHECK.equal("counted", Map.of(OUT, (long) RECORDS), HoldfastSink.counters(query.id().toString()));
    epochs(progress.length - 1);

    topics.send(records(RECORDS, RECORDS + 10));
    drain(copy, "copies", Map.of());
    CHECK.equal("continues where it stopped", RECORDS + 10, topics.read(OUT).size());
    epochs(progress.length);
    HoldfastSink.forget(query.id().toString());
    CHECK.equal("dropped", Map.of(), HoldfastSink.counters(query.id().toString()));
  }

  private void epochs(long last) throws Exception {
    List<ConsumerRecord<byte[], byte[]>> meta = topics.read(META);
    JsonNode epoch = new ObjectMapper().readTree(meta.get(meta.size() - 1).value());
    CHECK.equal("key of the epoch", "epoch", Topics.string(meta.get(meta.size() - 1).key()));
    CHECK.equal("last epoch", last, epoch.get("epoch").asLong());
    Map<Integer, Long> ends = new TreeMap<>();
    epoch.get("offsets").get(OUT).properties().forEach(e -> ends.put(Integer.parseInt(e.getKey()), e.getValue().asLong()));
    CHECK.equal("end offsets", topics.ends(OUT), ends);
    topics.read(OUT).forEach(record -> CHECK.equal("epoch header", true,
      Long.parseLong(Topics.string(record.headers().lastHeader("hf-epoch").value())) <= last));
  }

  /** Marks of transactions leave gaps, one of them behind the last record. */
  private void gaps() throws Exception {
    topics.create(GAPS, 1);
    topics.create(GAPS_OUT, 1);
    topics.sendInTransactions(GAPS, 5, 7);
    Copy copy = new Copy(GAPS_OUT, true);
    drain(copy, "gaps", Map.of("subscribe", GAPS));
    CHECK.equal("records between gaps", 35, topics.read(GAPS_OUT).size());
    topics.sendInTransactions(GAPS, 2, 7);
    drain(copy, "gaps", Map.of("subscribe", GAPS, "maxRecords", "3"));
    CHECK.equal("batches that end in gaps", 49, topics.read(GAPS_OUT).size());
  }

  private void liveQuery() throws Exception {
    topics.create(LIVE, 1);
    StreamingQuery query = writer(new Copy(LIVE, false), "live", Map.of("startingOffsets", "latest")).start();
    try {
      for (int round = 1; round <= 3; round++) {
        int before = topics.read(LIVE).size();
        waitForBatch(query);
        topics.send(records(0, 5));
        for (int i = 0; i < 200 && topics.read(LIVE).size() < before + 5; i++) {
          Thread.sleep(50);
        }
        CHECK.equal("live round " + round, before + 5, topics.read(LIVE).size());
      }
      CHECK.equal("no epoch header on a result", null, topics.read(LIVE).get(0).headers().lastHeader("hf-epoch"));
    } finally {
      query.stop();
    }
  }

  private static void waitForBatch(StreamingQuery query) throws InterruptedException {
    for (int i = 0; i < 200 && query.lastProgress() == null; i++) {
      Thread.sleep(50);
    }
  }

  private void refusals() {
    CHECK.failsWith("a record too large", Exception.class, "could not write to topic '" + OUT + "'",
      () -> drain(new Copy(OUT, false), "large", Map.of("kafka.max.request.size", "1")));
    CHECK.failsWith("a topic that is not there", Exception.class, "could not write to topic 'nowhere'",
      () -> drain(new Copy("nowhere", false), "nowhere", Map.of("kafka.max.block.ms", "500")));
    CHECK.failsWith("no program", Exception.class, "the source wants the option 'program'",
      () -> spark.readStream().format("io.holdfast.kernel.source.HoldfastSource").option("subscribe", IN_A)
        .option("kafka.bootstrap.servers", brokers).load().writeStream().format("noop")
        .option("checkpointLocation", home.resolve("none").toString()).start().awaitTermination(20_000));
    CHECK.failsWith("another schema", Exception.class, "the sink wants one binary column 'payload'",
      () -> {
        StreamingQuery query = spark.readStream().format("rate").load().writeStream().format("io.holdfast.kernel.sink.HoldfastSink")
          .option("checkpointLocation", home.resolve("rate").toString()).option("kafka.bootstrap.servers", brokers).start();
        return query.awaitTermination(20_000);
      });
  }

  private StreamingQuery drain(Copy copy, String name, Map<String, String> options) throws Exception {
    StreamingQuery query = writer(copy, name, options).trigger(Trigger.AvailableNow()).start();
    query.awaitTermination();
    return query;
  }

  private DataStreamWriter<Row> writer(Copy copy, String name, Map<String, String> options) {
    Dataset<Row> rows = spark.readStream().format("io.holdfast.kernel.source.HoldfastSource")
      .option("kafka.bootstrap.servers", brokers).option("subscribe", IN_A + "," + IN_B)
      .option("program", IngestProgramCodec.encode(copy)).options(options).load();
    return rows.writeStream().format("io.holdfast.kernel.sink.HoldfastSink").outputMode("update")
      .option("kafka.bootstrap.servers", brokers).option("meta", META).options(options)
      .option("checkpointLocation", home.resolve(name).toString());
  }

  private static List<ProducerRecord<byte[], byte[]>> records(int from, int until) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = from; i < until; i++) {
      String key = i % 11 == 0 ? null : "k" + i % 97;
      String value = i % 13 == 0 ? null : "{\"n\":" + i + ",\"é\":\"😀\"}";
      ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(i % 2 == 0 ? IN_A : IN_B, null, START + i, Topics.bytes(key), Topics.bytes(value));
      if (i % 5 == 0) {
        record.headers().add("trace", Topics.bytes("t" + i)).add("empty", null);
      }
      records.add(record);
    }
    return records;
  }

  @SafeVarargs
  private static List<String> shown(List<ConsumerRecord<byte[], byte[]>>... all) {
    List<String> shown = new ArrayList<>();
    for (List<ConsumerRecord<byte[], byte[]>> records : all) {
      records.forEach(r -> shown.add(r.timestamp() + " " + Topics.string(r.key()) + " " + Topics.string(r.value()) + " " + headers(r)));
    }
    return shown.stream().sorted().toList();
  }

  private static String headers(ConsumerRecord<byte[], byte[]> record) {
    List<Header> own = StreamSupport.stream(record.headers().spliterator(), false).filter(h -> !h.key().equals("hf-epoch")).toList();
    return own.stream().map(h -> h.key() + "=" + Topics.string(h.value())).toList().toString();
  }

  private static int placed(List<ConsumerRecord<byte[], byte[]>> records) {
    return (int) records.stream().filter(r -> r.key() == null
      || org.apache.kafka.common.utils.Utils.toPositive(org.apache.kafka.common.utils.Utils.murmur2(r.key())) % 4 == r.partition()).count();
  }
}
