package io.holdfast.kernel.sink;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The transactional producers of this process, one for each sink partition of each app, kept from epoch to epoch. */
final class Transactions {
  // As long as brokers allow: a batch may take long, and an open transaction is ended by whoever comes next.
  private static final String TIMEOUT_MS = "900000";
  private static final Map<String, Held> HELD = new ConcurrentHashMap<>();

  /** A producer that has shut out all before it, and the last marker when it did. */
  static final class Held {
    final KafkaProducer<byte[], byte[]> producer;
    private final String query;
    Marker last;

    Held(KafkaProducer<byte[], byte[]> producer, String query, Marker last) {
      this.producer = producer;
      this.query = query;
      this.last = last;
    }
  }

  private Transactions() {}

  /**
   * The producer of a sink partition, for its caller alone until it is given back.
   *
   * @param fresh whether one that is kept must not be used: the epoch has failed before
   */
  static Held take(SinkConfig config, String query, int partition, boolean fresh) {
    String id = config.markers() + "-" + partition;
    Held held = HELD.remove(id);
    if (held != null && !fresh && held.query.equals(query)) {
      return held;
    }
    if (held != null) {
      discard(held);
    }
    return open(config, query, partition, id);
  }

  private static Held open(SinkConfig config, String query, int partition, String id) {
    Map<String, Object> settings = new HashMap<>(config.producer());
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    settings.putIfAbsent(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TIMEOUT_MS);
    KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings);
    try {
      // First shut out whoever was there before, then look what he had done.
      producer.initTransactions();
      return new Held(producer, query, new Markers(config.consumer()).last(config.markers(), partition));
    } catch (RuntimeException | Error failure) {
      producer.close(Duration.ZERO);
      throw failure;
    }
  }

  static void give(SinkConfig config, int partition, Held held) {
    Held other = HELD.put(config.markers() + "-" + partition, held);
    if (other != null) {
      discard(other);
    }
  }

  static void discard(Held held) {
    held.producer.close(Duration.ZERO);
  }

  /** Closes those of a query that has ended. */
  static void close(String query) {
    HELD.values().removeIf(held -> {
      boolean own = held.query.equals(query);
      if (own) {
        discard(held);
      }
      return own;
    });
  }
}
