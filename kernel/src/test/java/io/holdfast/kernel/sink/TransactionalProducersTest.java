package io.holdfast.kernel.sink;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.records.OutputRow;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Producers that are kept from epoch to epoch, and what markers say, with a real broker, whose address is the argument. */
public final class TransactionalProducersTest {
  private static final Checks CHECK = new Checks();
  private static final String RUN = Long.toString(System.nanoTime(), 36);
  private static final String MARKERS = "markers-" + RUN;
  private static final String OUT = "out-" + RUN;
  private static final String QUERY = "query";
  private final String brokers;
  private final SinkConfig config;

  private TransactionalProducersTest(String brokers) {
    this.brokers = brokers;
    this.config = SinkConfig.of(new CaseInsensitiveStringMap(Map.of("kafka.bootstrap.servers", brokers, "markers", MARKERS)));
  }

  public static void main(String[] args) throws Exception {
    TransactionalProducersTest test = new TransactionalProducersTest(args[0]);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
      admin.createTopics(List.of(new NewTopic(MARKERS, 8, (short) 1), new NewTopic(OUT, 1, (short) 1))).all().get();
      test.aPartitionThatWasElsewhere();
      test.onlySoManyAreKept();
      test.markersOfOtherEnds();
      test.foreignRecordsAmongMarkers(admin);
      test.aFailedWriterAborts(admin);
      test.aStartFences(admin);
    }
    CHECK.end();
  }

  private void aPartitionThatWasElsewhere() {
    TransactionalProducers.PooledProducer first = TransactionalProducers.take(config, QUERY, 0, null);
    write(first.producer);
    TransactionalProducers.give(config, 0, first);
    CHECK.equal("the producer that wrote last is kept", true, TransactionalProducers.take(config, QUERY, 0, first.name) == first);
    TransactionalProducers.give(config, 0, first);
    try (KafkaProducer<byte[], byte[]> other = transactional(MARKERS + "-0")) {
      write(other);
    }
    TransactionalProducers.PooledProducer next = TransactionalProducers.take(config, QUERY, 0, "the other one");
    CHECK.equal("one that was fenced elsewhere is not used", false, next == first);
    write(next.producer);
    TransactionalProducers.discard(next);
  }

  private void onlySoManyAreKept() {
    for (int partition = 1; partition < 5; partition++) {
      TransactionalProducers.give(config, partition, TransactionalProducers.take(config, QUERY, partition, null));
    }
    TransactionalProducers.closeIdle(2, Long.MAX_VALUE, Long.MAX_VALUE);
    CHECK.equal("those that were just used are kept, however many", 4, TransactionalProducers.size());
    TransactionalProducers.closeIdle(2, 0, Long.MAX_VALUE);
    CHECK.equal("the ones that were used least lately are closed", 2, TransactionalProducers.size());
    TransactionalProducers.closeIdle(0, 0, Long.MAX_VALUE);
    CHECK.equal("the others stay", 2, TransactionalProducers.size());
    TransactionalProducers.closeIdle(0, 0, 0);
    CHECK.equal("all that are idle are closed", 0, TransactionalProducers.size());
  }

  private void foreignRecordsAmongMarkers(Admin admin) throws Exception {
    String topic = "foreign-" + RUN;
    admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers);
    Markers markers = new Markers(settings);
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, 0, null, new Marker(QUERY, 7, "ends", Map.of()).bytes())).get();
      for (String foreign : List.of("", "{", "7", "[]", "{}", "{\"epoch\":8}", "{\"query\":8}")) {
        producer.send(new ProducerRecord<>(topic, 0, null, foreign.getBytes(StandardCharsets.UTF_8))).get();
      }
      for (int i = 0; i < 500; i++) {
        producer.send(new ProducerRecord<>(topic, 0, null, new byte[] {(byte) i}));
      }
      producer.send(new ProducerRecord<>(topic, 0, null, null)).get();
      CHECK.equal("what is no marker is passed over", 7L, markers.last(topic, 0).epoch());
      producer.send(new ProducerRecord<>(topic, 0, null, "{\"query\":\"q\",\"epoch\":\"x\"}".getBytes(StandardCharsets.UTF_8))).get();
      String refusal = "";
      try {
        markers.last(topic, 0);
      } catch (KernelError refused) {
        refusal = refused.getMessage();
      }
      CHECK.equal("one that cannot be understood is not", true, refusal.contains("topic '" + topic + "', partition 0, offset 509"));
    }
  }

  private void markersOfOtherEnds() {
    epoch(5, 7, "ends", false).commit();
    CHECK.equal("an epoch that is there is not written again", Map.of(), epoch(5, 7, "ends", true).commit().written);
    CHECK.equal("nor one before it that ran with the same ends", Map.of(), epoch(5, 6, "before", true).commit().written);
    CHECK.equal("other ends are refused", true, isRefused(() -> epoch(5, 7, "others", true)));
    CHECK.equal("an epoch that is not recorded is refused", true, isRefused(() -> epoch(5, 6, "before", false)));
  }

  private static boolean isRefused(Runnable step) {
    try {
      step.run();
      return false;
    } catch (KernelError refused) {
      return refused.getMessage().contains("older copy");
    }
  }

  private void aFailedWriterAborts(Admin admin) throws Exception {
    TransactionalOutbox outbox = epoch(6, 1, "ends", false);
    CHECK.equal("no reader sees behind an open transaction", true, isHidden(admin));
    outbox.abort();
    outbox.close();
    CHECK.equal("a writer that fails ends it", false, isHidden(admin));
  }

  private void aStartFences(Admin admin) throws Exception {
    try (KafkaProducer<byte[], byte[]> killed = transactional(MARKERS + "-11")) {
      killed.beginTransaction();
      killed.send(new ProducerRecord<>(OUT, new byte[] {1})).get();
      CHECK.equal("a killed writer hides what comes", true, isHidden(admin));
      Fencing.fence(MARKERS, Map.of("bootstrap.servers", brokers));
      CHECK.equal("a start ends it, whatever partition it was", false, isHidden(admin));
    }
  }

  /** Whether a reader of committed records sees less than is there; the broker may take a moment. */
  private static boolean isHidden(Admin admin) throws Exception {
    for (int tries = 0; tries < 50; tries++) {
      if (end(admin, IsolationLevel.READ_COMMITTED) == end(admin, IsolationLevel.READ_UNCOMMITTED)) {
        return false;
      }
      Thread.sleep(50);
    }
    return true;
  }

  private static long end(Admin admin, IsolationLevel level) throws Exception {
    TopicPartition partition = new TopicPartition(OUT, 0);
    return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level)).partitionResult(partition).get().offset();
  }

  /** An outbox that has sent one record. */
  private TransactionalOutbox epoch(int partition, long epoch, String digest, boolean repeated) {
    EpochStart start = new EpochStart(digest, repeated, new HashMap<>());
    TransactionalOutbox outbox = new TransactionalOutbox(config, QUERY, partition, epoch, start, false);
    outbox.send(new OutputRow(OUT, OutputRow.ANY, 1, "key".getBytes(StandardCharsets.UTF_8), new byte[] {1}, null, false));
    return outbox;
  }

  private static void write(KafkaProducer<byte[], byte[]> producer) {
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(OUT, new byte[] {1}));
    producer.commitTransaction();
  }

  private KafkaProducer<byte[], byte[]> transactional(String id) {
    KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
        Map.of("bootstrap.servers", brokers, "transactional.id", id), new ByteArraySerializer(), new ByteArraySerializer());
    producer.initTransactions();
    return producer;
  }
}
