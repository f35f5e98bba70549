package io.holdfast.kernel.sink;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Source records of dead letters, read again from a broker that may be slow; its address and process are the arguments. */
public final class OriginalRecordsTest {
  private static final String TOPIC = "originals-" + Long.toString(System.nanoTime(), 36);
  private static final Checks CHECK = new Checks();
  private final String brokers;
  private final String process;

  private OriginalRecordsTest(String brokers, String process) {
    this.brokers = brokers;
    this.process = process;
  }

  public static void main(String[] args) throws Exception {
    OriginalRecordsTest test = new OriginalRecordsTest(args[0], args[1]);
    test.prepare();
    test.slowBroker();
    test.deafBroker();
    test.goneRecords();
    CHECK.end();
  }

  /** Four records, two transactions, so that offsets 2 and 5 have none; then the first is deleted. */
  private void prepare() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
      Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "transactional.id", TOPIC);
      try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
        producer.initTransactions();
        for (int value = 0; value < 4; value += 2) {
          producer.beginTransaction();
          producer.send(new ProducerRecord<>(TOPIC, 0, null, bytes("value " + value)));
          producer.send(new ProducerRecord<>(TOPIC, 0, null, bytes("value " + (value + 1))));
          producer.commitTransaction();
        }
      }
      admin.deleteRecords(Map.of(new TopicPartition(TOPIC, 0), RecordsToDelete.beforeOffset(1))).all().get();
    }
  }

  /** A broker that does not answer for a few seconds: the record does not count as deleted. */
  private void slowBroker() throws Exception {
    signal("STOP");
    Thread waker = new Thread(() -> {
      sleep(5_000);
      signal("CONT");
    });
    waker.start();
    try {
      CHECK.equal("slow broker", Map.of(1L, "value 1", 3L, "value 2"), found(60_000, TOPIC, 1, 3));
    } finally {
      waker.join();
    }
  }

  /** It says nothing for longer than its clients wait: the task fails, nothing is said of the records. */
  private void deafBroker() throws Exception {
    signal("STOP");
    try {
      CHECK.failsWith("deaf broker", TimeoutException.class, "", () -> found(3_000, TOPIC, 1, 3));
    } finally {
      signal("CONT");
    }
  }

  private void goneRecords() {
    CHECK.equal("deleted, there, no record, there", Map.of(0L, "gone", 1L, "value 1", 2L, "gone", 4L, "value 3"),
        found(60_000, TOPIC, 0, 1, 2, 4));
    CHECK.equal("behind the end", Map.of(4L, "value 3", 5L, "gone", 6L, "gone", 600L, "gone"), found(3_000, TOPIC, 4, 5, 6, 600));
    CHECK.equal("topic that is deleted", Map.of(0L, "gone"), found(3_000, TOPIC + "-never", 0));
  }

  /** By offset, the value of the record or "gone". */
  private Map<Long, String> found(int timeout, String topic, long... offsets) {
    List<OutputRow> rows = Arrays.stream(offsets).mapToObj(offset -> letter(topic, offset)).toList();
    List<OutputRow> filled = new ArrayList<>();
    new OriginalRecords(Map.of("bootstrap.servers", brokers, "default.api.timeout.ms", String.valueOf(timeout), "request.timeout.ms", "2000"))
        .fill(rows, filled::add);
    Map<Long, String> out = new TreeMap<>();
    for (OutputRow row : filled) {
      boolean gone = "gone".equals(row.header("hf-original"));
      out.put(Long.parseLong(row.header("hf-offset")), gone ? "gone" : new String(row.value, StandardCharsets.UTF_8));
    }
    return out;
  }

  private static OutputRow letter(String topic, long offset) {
    RawHeader[] headers = {RawHeader.ofText("hf-topic", topic), RawHeader.ofText("hf-partition", "0"),
        RawHeader.ofText("hf-offset", Long.toString(offset))};
    return new OutputRow("letters", OutputRow.ANY, 0, null, bytes("what a node saw"), headers, false).recalling();
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, process).start().waitFor();
    } catch (java.io.IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
