package io.holdfast.kernel.source;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.records.TopicLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** The limits of topics with a real broker, whose address is the argument, and while it does not answer. */
public final class KafkaLimitsTest {
  private static final Checks CHECK = new Checks();
  private static final String RUN = Long.toString(System.nanoTime(), 36);
  private static final String LARGE = "large-" + RUN;
  private static final String TABLE = "table-" + RUN;

  private KafkaLimitsTest() {}

  public static void main(String[] args) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
      admin.createTopics(List.of(
          new NewTopic(LARGE, 1, (short) 1).configs(Map.of("max.message.bytes", "5000000", "message.timestamp.after.max.ms", "1000")),
          new NewTopic(TABLE, 1, (short) 1).configs(Map.of("cleanup.policy", "compact,delete")))).all().get();
    }
    asTheyAre(KafkaLimits.of(Map.of("bootstrap.servers", args[0])));
    whileNobodyAnswers(args[0]);
    whoIsInterrupted(args[0]);
    whoEndsWhileACallTimesOut();
    CHECK.end();
  }

  private static void asTheyAre(TopicLimits limits) {
    CHECK.equal("bytes", 5_000_000, limits.of(LARGE).bytes());
    CHECK.equal("times", 1_000L, limits.of(LARGE).ahead());
    CHECK.equal("a topic that is not compacted", false, limits.of(LARGE).keyed());
    CHECK.equal("a compacted topic", true, limits.of(TABLE).keyed());
    CHECK.equal("no topic", false, limits.of("absent").exists());
  }

  /** While the limits of a topic are not known, no record is refused. */
  private static void whileNobodyAnswers(String broker) throws Exception {
    String[] address = broker.split(":");
    try (Doorman doorman = new Doorman(address[0], Integer.parseInt(address[1]))) {
      TopicLimits limits = KafkaLimits.of(Map.of("bootstrap.servers", "127.0.0.1:" + doorman.port()));
      CHECK.equal("any record while no broker answers", true, limits.of(LARGE).bytes() > 30 << 20);
      doorman.open = true;
      Thread.sleep(1_100);
      CHECK.equal("bytes when one does", 5_000_000, limits.of(LARGE).bytes());
    }
  }

  /** A task that is killed while it asks leaves no wrong limits to others. */
  private static void whoIsInterrupted(String broker) throws Exception {
    TopicLimits limits = KafkaLimits.of(Map.of("bootstrap.servers", broker, "client.id", "other"));
    Thread killed = new Thread(() -> {
      Thread.currentThread().interrupt();
      limits.of(LARGE);
    });
    killed.start();
    killed.join();
    Thread.sleep(1_100);
    CHECK.equal("bytes for those who come later", 5_000_000, limits.of(LARGE).bytes());
  }

  /** A hundred clients are closed when their call times out: Kafka's own close() has some of them wait for ever. */
  private static void whoEndsWhileACallTimesOut() throws Exception {
    try (Doorman silent = new Doorman("127.0.0.1", 1)) {
      Map<String, Object> settings = Map.of("bootstrap.servers", "127.0.0.1:" + silent.port(),
          "default.api.timeout.ms", "300", "request.timeout.ms", "300");
      List<Thread> clients = Stream.generate(() -> new Thread(() -> timeOut(settings))).limit(100).peek(Thread::start).toList();
      for (Thread client : clients) {
        client.join(30_000);
      }
      CHECK.equal("clients that do not end", 0L, clients.stream().filter(Thread::isAlive).count());
    }
  }

  private static void timeOut(Map<String, Object> settings) {
    try (AdminSession session = AdminSession.open(settings)) {
      session.admin().listTopics().names().get(300, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException expected) {
      // Which of the two comes first is the race that is tested.
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }

  /** Takes connections to the broker, and hands nothing on until it is open. */
  private static final class Doorman implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0);
    volatile boolean open;

    Doorman(String host, int port) throws IOException {
      start(() -> {
        while (true) {
          Socket client = door.accept();
          start(() -> {
            while (!open) {
              Thread.sleep(50);
            }
            Socket broker = new Socket(host, port);
            start(() -> hand(client.getInputStream(), broker.getOutputStream()));
            hand(broker.getInputStream(), client.getOutputStream());
          });
        }
      });
    }

    int port() {
      return door.getLocalPort();
    }

    private static void hand(InputStream from, OutputStream to) throws IOException {
      from.transferTo(to);
    }

    private interface Work {
      void run() throws Exception;
    }

    private static void start(Work work) {
      Thread thread = new Thread(() -> {
        try {
          work.run();
        } catch (Exception closed) {
          // The test has ended, or the client has closed the connection.
        }
      });
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      door.close();
    }
  }
}
