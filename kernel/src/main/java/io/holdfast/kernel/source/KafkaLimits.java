package io.holdfast.kernel.source;

import io.holdfast.kernel.records.TopicLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of an app's topics as the brokers have them, requested when a topic is first written to and then once a minute.
 *
 * <p>Where the app is not authorized to read them, Kafka's defaults apply, with any time. While no broker answers, no record is refused here:
 * its topic may accept it. Then Kafka refuses those that it does not accept.
 */
public final class KafkaLimits implements TopicLimits {
  /** How large a record may be before it is compressed: a dead letter, with its facts, may be larger than a producer's default. */
  public static final int MOST_BYTES = 32 << 20;
  /** How our producers compress. */
  public static final String COMPRESSION = "lz4";
  private static final Logger LOG = LoggerFactory.getLogger(KafkaLimits.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final long REFRESH_SECONDS = 60;
  /** How often a topic that does not exist is looked up at most, however many records choose it. */
  private static final long LOOK_AGAIN_NANOS = 1_000_000_000L;
  private static final int MOST_TOPICS = 10_000;
  private static final Map<Map<String, Object>, KafkaLimits> OF = new ConcurrentHashMap<>();
  private static final ScheduledExecutorService REFRESHING = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "holdfast-topic-limits");
    thread.setDaemon(true);
    return thread;
  });

  private final Map<String, Object> settings;
  private final Limit usual;
  private final Limit unknown;
  private final Map<String, Limit> known = new ConcurrentHashMap<>();
  /** Whether limits were used since the last refresh; a race only causes another lookup. */
  private boolean used;
  private volatile Set<String> names = Set.of();
  private volatile long namedAt = System.nanoTime() - LOOK_AGAIN_NANOS;
  private long unansweredAt = System.nanoTime() - LOOK_AGAIN_NANOS;

  private KafkaLimits(Map<String, Object> settings) {
    this.settings = settings;
    this.unknown = new Limit(true, Integer.MAX_VALUE, request(settings), false, false, Long.MAX_VALUE, Long.MAX_VALUE);
    this.usual = new Limit(true, USUAL.bytes(), request(settings), isCompressed(settings), false, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /** The limits of the cluster that clients with these settings reach; the same object for the same settings. */
  public static KafkaLimits of(Map<String, ?> clients) {
    return OF.computeIfAbsent(new TreeMap<>(clients), settings -> {
      KafkaLimits limits = new KafkaLimits(settings);
      REFRESHING.scheduleWithFixedDelay(limits::refresh, REFRESH_SECONDS, REFRESH_SECONDS, TimeUnit.SECONDS);
      return limits;
    });
  }

  private static int request(Map<String, Object> settings) {
    Object set = settings.get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
    return set == null ? MOST_BYTES : Integer.parseInt(set.toString());
  }

  private static boolean isCompressed(Map<String, Object> settings) {
    Object set = settings.get(ProducerConfig.COMPRESSION_TYPE_CONFIG);
    return set == null || set.toString().equals(COMPRESSION);
  }

  @Override
  public Limit of(String topic) {
    used = true;
    Limit limit = known.get(topic);
    return limit == null ? look(topic) : limit;
  }

  private synchronized Limit look(String topic) {
    Limit limit = known.get(topic);
    if (limit != null) {
      return limit;
    }
    if (!names.contains(topic) && System.nanoTime() - namedAt < LOOK_AGAIN_NANOS) {
      return usual.absent();
    }
    if (System.nanoTime() - unansweredAt < LOOK_AGAIN_NANOS) {
      return unknown;
    }
    try (AdminSession session = session()) {
      Admin admin = session.admin();
      names = ask(admin.listTopics().names());
      namedAt = System.nanoTime();
      if (!names.contains(topic)) {
        return usual.absent();
      }
      Limit found = ask(admin, List.of(topic)).get(topic);
      return found == null ? usual.absent() : cache(topic, found);
    } catch (ExecutionException | TimeoutException | RuntimeException unanswered) {
      LOG.warn("the limits of topic {} are not known yet, any record is sent to it: {}", topic, unanswered.getMessage());
      unansweredAt = System.nanoTime();
      return unknown;
    }
  }

  private Limit cache(String topic, Limit limit) {
    if (known.size() >= MOST_TOPICS) {
      known.clear();
    }
    known.put(topic, limit);
    return limit;
  }

  /** Refreshes all known limits, if they are used; a topic that is deleted is looked up when it is next written to. */
  private void refresh() {
    if (!used) {
      known.clear();
    }
    if (known.isEmpty()) {
      return;
    }
    used = false;
    try (AdminSession session = session()) {
      Map<String, Limit> found = ask(session.admin(), new ArrayList<>(known.keySet()));
      known.keySet().retainAll(found.keySet());
      known.putAll(found);
    } catch (ExecutionException | TimeoutException | RuntimeException unknown) {
      LOG.debug("the limits of topics stay as they were", unknown);
    }
  }

  private AdminSession session() {
    Map<String, Object> config = new HashMap<>(settings);
    config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, String.valueOf(TIMEOUT.toMillis()));
    config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, String.valueOf(TIMEOUT.toMillis()));
    return AdminSession.open(config);
  }

  private Map<String, Limit> ask(Admin admin, Collection<String> topics) throws ExecutionException, TimeoutException {
    List<ConfigResource> resources = topics.stream().map(t -> new ConfigResource(ConfigResource.Type.TOPIC, t)).toList();
    Map<ConfigResource, KafkaFuture<Config>> answers = admin.describeConfigs(resources).values();
    Map<String, Limit> out = new HashMap<>();
    for (Map.Entry<ConfigResource, KafkaFuture<Config>> each : answers.entrySet()) {
      try {
        out.put(each.getKey().name(), limit(ask(each.getValue())));
      } catch (ExecutionException refused) {
        if (refused.getCause() instanceof AuthorizationException) {
          out.put(each.getKey().name(), usual);
        } else if (!(refused.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw refused;
        }
      }
    }
    return out;
  }

  private static <T> T ask(KafkaFuture<T> answer) throws ExecutionException, TimeoutException {
    try {
      return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(ended);
    }
  }

  private Limit limit(Config config) {
    boolean byRecord = !"LogAppendTime".equals(text(config, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, ""));
    boolean asSent = "producer".equals(text(config, TopicConfig.COMPRESSION_TYPE_CONFIG, "producer"));
    boolean keyed = text(config, TopicConfig.CLEANUP_POLICY_CONFIG, "").contains(TopicConfig.CLEANUP_POLICY_COMPACT);
    String usualBytes = Integer.toString(usual.bytes());
    String anyTime = Long.toString(Long.MAX_VALUE);
    return new Limit(true, Integer.parseInt(text(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, usualBytes)), usual.request(),
        usual.compressed() && asSent, keyed,
        byRecord ? Long.parseLong(text(config, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, anyTime)) : Long.MAX_VALUE,
        byRecord ? Long.parseLong(text(config, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, anyTime)) : Long.MAX_VALUE);
  }

  private static String text(Config config, String name, String otherwise) {
    ConfigEntry entry = config.get(name);
    return entry == null || entry.value() == null ? otherwise : entry.value();
  }
}
