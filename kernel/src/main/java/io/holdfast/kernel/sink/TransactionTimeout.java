package io.holdfast.kernel.sink;

import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.source.AdminSession;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timeout of an app's transactions: several times the longest one, within the maximum of the brokers.
 *
 * <p>How long the first batch of a process takes is not known, so that its timeout is the maximum of the brokers.
 */
final class TransactionTimeout {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionTimeout.class);
  private static final String MOST = "transaction.max.timeout.ms";
  /** The default maximum of brokers. */
  private static final long USUAL_MS = 900_000;
  private static final long MARGIN = 4;
  /** By topic of markers, which identifies the app: the longest transaction of this process, and the maximum of the brokers. */
  private static final Map<String, Long> LONGEST = new ConcurrentHashMap<>();
  private static final Map<String, Long> ALLOWED = new ConcurrentHashMap<>();

  private TransactionTimeout() {}

  /** In milliseconds; that of the app's client settings, if they have one. */
  static long of(SinkConfig config) {
    Object own = config.producer().get(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
    return own == null ? chosen(LONGEST.get(config.markers()), allowed(config)) : Long.parseLong(own.toString());
  }

  /**
   * @param longest null if there was no transaction yet
   */
  static long chosen(Long longest, long allowed) {
    return longest == null ? allowed : Math.min(allowed, Math.max(USUAL_MS, MARGIN * longest));
  }

  /** Notes for how long a transaction was open. */
  static void note(SinkConfig config, long millis) {
    LONGEST.merge(config.markers(), millis, Math::max);
  }

  /** The error of a transaction that the broker has aborted because it was open for too long. */
  static KernelError exceeded(SinkConfig config, long epoch, long millis, long timeout) {
    note(config, millis);
    return new KernelError("", "", "the output of epoch " + epoch + " was not committed: its transaction was open for " + millis / 1000
        + " s, longer than transaction.timeout.ms, " + timeout / 1000 + " s, so that Kafka has aborted it. No reader of committed records has seen any of it, and the"
        + " epoch is written again. Make batches shorter with max_records or max_bytes; or raise transaction.timeout.ms in kafka=, which may be as"
        + " long as " + MOST + " of the brokers, " + allowed(config) / 1000 + " s now");
  }

  private static long allowed(SinkConfig config) {
    return ALLOWED.computeIfAbsent(config.markers(), app -> maxOfBrokers(config));
  }

  private static long maxOfBrokers(SinkConfig config) {
    try (AdminSession session = AdminSession.open(config.consumer())) {
      Admin admin = session.admin();
      String broker = admin.describeCluster().nodes().get().iterator().next().idString();
      ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker);
      return Long.parseLong(admin.describeConfigs(List.of(resource)).all().get().get(resource).get(MOST).value());
    } catch (ExecutionException | RuntimeException unknown) {
      LOG.info("the brokers' {} could not be read: {}", MOST, unknown.toString());
      return USUAL_MS;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return USUAL_MS;
    }
  }
}
