package io.holdfast.kernel.sink;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The pool of transactional producers of this process, one for each sink partition of each app, reused from epoch to epoch. */
final class TransactionalProducers {
  private static final long IDLE_NANOS = Duration.ofMinutes(5).toNanos();
  /** The most producers in the pool: those of partitions that moved to other executors stay behind. */
  private static final int MOST = 256;
  /** Producers that were used more recently stay, however many: an app with more partitions uses each in every epoch. */
  private static final long RESTED_NANOS = Duration.ofMinutes(1).toNanos();
  /** By transactional id, the one that was used last at the end. */
  private static final Map<String, PooledProducer> POOL = new LinkedHashMap<>();
  private static ScheduledExecutorService sweeper;

  /** A producer that has fenced all before it, and the last marker of its partition. */
  static final class PooledProducer {
    final KafkaProducer<byte[], byte[]> producer;
    /** The name of this producer, unlike any other with the same transactional id. */
    final String name = UUID.randomUUID().toString();
    /** How long its transactions may be open, in milliseconds. */
    final long timeout;
    private final String query;
    private long since;
    Marker last;

    PooledProducer(KafkaProducer<byte[], byte[]> producer, String query, long timeout, Marker last) {
      this.producer = producer;
      this.query = query;
      this.timeout = timeout;
      this.last = last;
    }
  }

  private TransactionalProducers() {}

  /**
   * The producer of a sink partition, for one caller until it is given back.
   *
   * @param usable the name of the one that wrote the partition last: if it is in the pool, it is not fenced; null for a new one
   */
  static PooledProducer take(SinkConfig config, String query, int partition, String usable) {
    String id = id(config, partition);
    PooledProducer pooled;
    synchronized (POOL) {
      pooled = POOL.remove(id);
    }
    if (pooled != null && pooled.query.equals(query) && pooled.name.equals(usable) && pooled.timeout >= TransactionTimeout.of(config)) {
      return pooled;
    }
    if (pooled != null) {
      discard(pooled);
    }
    return open(config, query, partition, id);
  }

  private static String id(SinkConfig config, int partition) {
    return config.markers() + "-" + partition;
  }

  private static PooledProducer open(SinkConfig config, String query, int partition, String id) {
    Map<String, Object> settings = new HashMap<>(config.producer());
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    long timeout = TransactionTimeout.of(config);
    settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, String.valueOf(timeout));
    KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings);
    try {
      // First fence the producer before, then look for its marker.
      producer.initTransactions();
      return new PooledProducer(producer, query, timeout, new Markers(config.consumer()).last(config.markers(), partition));
    } catch (RuntimeException | Error failure) {
      producer.close(Duration.ZERO);
      throw failure;
    }
  }

  static void give(SinkConfig config, int partition, PooledProducer pooled) {
    PooledProducer other;
    pooled.since = System.nanoTime();
    synchronized (POOL) {
      other = POOL.remove(id(config, partition));
      POOL.put(id(config, partition), pooled);
      if (sweeper == null) {
        sweeper = Executors.newSingleThreadScheduledExecutor(TransactionalProducers::sweeperThread);
        sweeper.scheduleWithFixedDelay(() -> closeIdle(0, 0, IDLE_NANOS), 1, 1, TimeUnit.MINUTES);
      }
    }
    if (other != null) {
      discard(other);
    }
    closeIdle(size() - MOST, RESTED_NANOS, Long.MAX_VALUE);
  }

  private static Thread sweeperThread(Runnable work) {
    Thread thread = new Thread(work, "holdfast-idle-producers");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Closes the least recently used producers.
   *
   * @param tooMany so many of them, if they were not used for {@code restedNanos}
   * @param idleNanos and all that were not used for so long
   */
  static void closeIdle(int tooMany, long restedNanos, long idleNanos) {
    long now = System.nanoTime();
    synchronized (POOL) {
      int left = tooMany;
      for (Iterator<PooledProducer> each = POOL.values().iterator(); each.hasNext();) {
        PooledProducer pooled = each.next();
        if (now - pooled.since < (left-- > 0 ? restedNanos : idleNanos)) {
          return;
        }
        each.remove();
        discard(pooled);
      }
    }
  }

  static int size() {
    synchronized (POOL) {
      return POOL.size();
    }
  }

  static void discard(PooledProducer pooled) {
    pooled.producer.close(Duration.ZERO);
  }

  /** Closes those of a query that has ended. */
  static void close(String query) {
    synchronized (POOL) {
      POOL.values().removeIf(pooled -> {
        boolean own = pooled.query.equals(query);
        if (own) {
          discard(pooled);
        }
        return own;
      });
    }
  }
}
