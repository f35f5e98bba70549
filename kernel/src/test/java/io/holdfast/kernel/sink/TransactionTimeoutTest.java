package io.holdfast.kernel.sink;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.records.OutputRow;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A batch that takes longer than its transaction may be open; the argument is the address of a broker. */
public final class TransactionTimeoutTest {
  private static final String RUN = Long.toString(System.nanoTime(), 36);
  private static final String MARKERS = "timed-markers-" + RUN;
  private static final String OUT = "timed-out-" + RUN;
  private static final long MINUTE = 60_000;
  private static final Checks CHECK = new Checks();

  private TransactionTimeoutTest() {}

  public static void main(String[] args) throws Exception {
    CHECK.equal("first of a process", 60 * MINUTE, TransactionTimeout.chosen(null, 60 * MINUTE));
    CHECK.equal("short batches", 15 * MINUTE, TransactionTimeout.chosen(1_000L, 60 * MINUTE));
    CHECK.equal("long batches", 40 * MINUTE, TransactionTimeout.chosen(10 * MINUTE, 60 * MINUTE));
    CHECK.equal("longer ones than brokers allow", 60 * MINUTE, TransactionTimeout.chosen(50 * MINUTE, 60 * MINUTE));
    CHECK.equal("brokers that allow little", MINUTE, TransactionTimeout.chosen(1_000L, MINUTE));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
      admin.createTopics(List.of(new NewTopic(MARKERS, 1, (short) 1), new NewTopic(OUT, 1, (short) 1))).all().get();
      CHECK.equal("what the local broker says", 15 * MINUTE, TransactionTimeout.of(config(args[0], Map.of())));
      SinkConfig brief = config(args[0], Map.of("kafka.transaction.timeout.ms", "1000"));
      CHECK.equal("what the app says", 1_000L, TransactionTimeout.of(brief));
      tooLong(brief, admin);
    }
    CHECK.end();
  }

  private static void tooLong(SinkConfig config, Admin admin) throws Exception {
    TransactionalOutbox outbox = new TransactionalOutbox(config, "query", 0, 0, new EpochStart("digest", false, new HashMap<>()), false);
    outbox.send(row());
    waitForAbort(admin);
    String told = "nothing";
    try {
      outbox.send(row());
      outbox.commit();
    } catch (KernelError | RuntimeException failure) {
      told = failure.getMessage();
    }
    CHECK.equal("open for too long: " + told, true, told.contains("longer than transaction.timeout.ms, 1 s, so that Kafka has aborted it"));
    outbox.close();
  }

  /** The broker looks every ten seconds for transactions that are open for too long. */
  private static void waitForAbort(Admin admin) throws Exception {
    String id = MARKERS + "-0";
    for (int tries = 0; tries < 300; tries++) {
      Thread.sleep(100);
      if (admin.describeTransactions(List.of(id)).description(id).get().state() != TransactionState.ONGOING) {
        return;
      }
    }
  }

  private static OutputRow row() {
    return new OutputRow(OUT, OutputRow.ANY, 0, null, "value".getBytes(StandardCharsets.UTF_8), null, false);
  }

  private static SinkConfig config(String brokers, Map<String, String> more) {
    Map<String, String> options = new HashMap<>(more);
    options.put("kafka.bootstrap.servers", brokers);
    options.put("markers", MARKERS);
    return SinkConfig.of(new CaseInsensitiveStringMap(options));
  }
}
