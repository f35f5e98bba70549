package io.holdfast.judge;

import static io.holdfast.judge.Expr.map;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueStore;

/** Our stores as Kafka Streams' Materialized. */
final class Stores {
  /** A field of nodes that shall be as Kafka Streams has them. */
  static final String LITERALLY = "literally";

  private Stores() {}

  /** The store of a node: with its name, if it has one, and versioned, if it is. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> keyValue(Map<String, Object> node) {
    Map<String, Object> store = map(node.get("store"));
    if (store.get("versioned") == null) {
      return named(node);
    }
    String name = name(node, "versions-of-");
    return (Materialized) withSerdes(Materialized.as(
        org.apache.kafka.streams.state.Stores.persistentVersionedKeyValueStore(name, Windows.duration(store, "versioned"))));
  }

  /** The store of a window, which retains windows as long as ours; final results are not lost. */
  static <S extends StateStore> Materialized<Object, Object, S> window(Map<String, Object> node) {
    Map<String, Object> window = map(node.get("window"));
    if (node.containsKey(LITERALLY)) {
      return named(node);
    }
    return "final".equals(window.get("emit"))
        ? window(node, new Retention(window, 1)) : Stores.<S>named(node).withRetention(Duration.ofMillis(Retention.of(window)));
  }

  /** The store of a window with a retention of its own. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static <S extends StateStore> Materialized<Object, Object, S> window(Map<String, Object> node, Retention retention) {
    if (node.containsKey(LITERALLY)) {
      return named(node);
    }
    Map<String, Object> window = map(node.get("window"));
    String name = name(node, "windows-of-");
    if ("session".equals(window.get("kind"))) {
      return (Materialized) withSerdes(Materialized.as(new RetainedSessions.Supplier(name, retention)));
    }
    Duration size = Windows.duration(window, "sliding".equals(window.get("kind")) ? "difference" : "size");
    return (Materialized) withSerdes(Materialized.as(new RetainedWindows.Supplier(name, size.toMillis(), retention)));
  }

  static <S extends StateStore> Materialized<Object, Object, S> named(Map<String, Object> node) {
    String name = name(node);
    return name == null ? unnamed() : withSerdes(Materialized.as(name));
  }

  static <S extends StateStore> Materialized<Object, Object, S> unnamed() {
    return Materialized.with(new JsonSerde(), new JsonSerde());
  }

  private static <S extends StateStore> Materialized<Object, Object, S> withSerdes(Materialized<Object, Object, S> store) {
    return store.withKeySerde(new JsonSerde()).withValueSerde(new JsonSerde());
  }

  private static String name(Map<String, Object> node) {
    return node.get("store") == null ? null : (String) map(node.get("store")).get("name");
  }

  /** The name of a store that must have one. */
  private static String name(Map<String, Object> node, String prefix) {
    String said = name(node);
    return said == null ? prefix + safe((String) node.get("id")) : said;
  }

  static String safe(String id) {
    return id.replaceAll("[^A-Za-z0-9._-]", "-");
  }
}
