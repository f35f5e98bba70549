package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.StreamsConfig.InternalConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.test.TestRecord;

/** One case: a topology, its records one by one, and what came of them. */
final class Run implements AutoCloseable {
  private static final JsonSerde SERDE = new JsonSerde();
  private final List<Object> nodes;
  private final Drops drops = new Drops();
  private final TopologyTestDriver driver;
  private final Map<String, TestInputTopic<Object, Object>> inputs = new HashMap<>();

  Run(Map<String, Object> topology, boolean literally, Path states) {
    nodes = list(topology.get("nodes"));
    driver = new TopologyTestDriver(Builder.build(nodes, drops, literally), config(states), Instant.EPOCH);
  }

  private static Properties config(Path states) {
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, "judge");
    config.put(StreamsConfig.STATE_DIR_CONFIG, states.toString());
    config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, JsonSerde.class);
    config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, JsonSerde.class);
    config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    config.put(InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_WINDOWED_AGGREGATION, 0L);
    config.put(InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_OUTER_JOIN_SPURIOUS_RESULTS_FIX, 0L);
    config.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
    return config;
  }

  /** The answer to a case: outputs per topic, stores, and what was dropped at each record. */
  Map<String, Object> answer(List<Object> records) {
    List<Object> dropped = new ArrayList<>();
    List<Object> refused = new ArrayList<>();
    for (Object each : records) {
      long before = dropped();
      long refusedBefore = drops.refused();
      pipe(map(each));
      dropped.add(dropped() - before);
      refused.add(drops.refused() - refusedBefore);
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("outputs", outputs());
    out.put("stores", stores());
    out.put("dropped", dropped);
    out.put("refused", refused);
    return out;
  }

  private void pipe(Map<String, Object> r) {
    if (r.get("advance") != null) {
      driver.advanceWallClockTime(Duration.ofMillis((Long) r.get("advance")));
      return;
    }
    String topic = (String) r.get("topic");
    drops.piped(topic, r.get("key"));
    inputs.computeIfAbsent(topic, t -> driver.createInputTopic(t, SERDE.serializer(), SERDE.serializer()))
        .pipeInput(new TestRecord<>(r.get("key"), r.get("value"), headers(r), (Long) r.get("timestamp")));
  }

  private static Headers headers(Map<String, Object> r) {
    Headers out = new RecordHeaders();
    if (r.get("headers") != null) {
      map(r.get("headers")).forEach((name, text) -> out.add(name, text.toString().getBytes(StandardCharsets.UTF_8)));
    }
    return out;
  }

  private long dropped() {
    return driver.metrics().entrySet().stream()
        .filter(m -> m.getKey().name().equals("dropped-records-total"))
        .mapToLong(m -> ((Double) m.getValue().metricValue()).longValue())
        .sum() + drops.silent();
  }

  private Map<String, Object> outputs() {
    Map<String, Object> out = new LinkedHashMap<>();
    for (String topic : driver.producedTopicNames()) {
      if (!topic.startsWith("judge-")) {
        out.put(topic, read(topic));
      }
    }
    return out;
  }

  private List<Object> read(String topic) {
    List<Object> out = new ArrayList<>();
    for (TestRecord<Object, Object> r
        : driver.createOutputTopic(topic, SERDE.deserializer(), SERDE.deserializer()).readRecordsToList()) {
      out.add(Arrays.asList(JsonSerde.plain(r.key()), r.value(), r.timestamp(), Scope.texts(r.headers())));
    }
    return out;
  }

  private Map<String, Object> stores() {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Object node : nodes) {
      Object store = map(node).get("store");
      if (store != null && map(store).get("name") instanceof String name) {
        out.put(name, content(map(node), name));
      }
    }
    return out;
  }

  private List<Object> content(Map<String, Object> node, String name) {
    List<Object> out = new ArrayList<>();
    StateStore store = driver.getAllStateStores().get(name);
    if (store instanceof VersionedKeyValueStore) {
      return null;
    }
    try (var all = all(name, store)) {
      all.forEachRemaining(
          entry -> out.add(Arrays.asList(JsonSerde.plain(entry.key), Aggregates.shown(node, entry.value))));
    }
    return out;
  }

  private KeyValueIterator<?, ?> all(String name, StateStore store) {
    if (store instanceof SessionStore) {
      return driver.getSessionStore(name).fetch(null, null);
    }
    return store instanceof WindowStore ? driver.getWindowStore(name).all() : driver.getKeyValueStore(name).all();
  }

  @Override
  public void close() {
    driver.close();
  }

  static Path directory() throws IOException {
    return Files.createTempDirectory("judge");
  }
}
