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
  /** A field of nodes whose windows are retained as long as Kafka Streams does by itself. */
  private static final String OWN_RETENTION = "own_retention";
  private static final Duration RETENTION = Duration.ofDays(1);

  private Stores() {}

  /** The store of a node: with its name, if it has one, and versioned, if it is. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> keyValue(Map<String, Object> node) {
    Map<String, Object> store = map(node.get("store"));
    if (store.get("versioned") == null) {
      return named(node);
    }
    String name = store.get("name") == null ? "versions-of-" + safe((String) node.get("id")) : (String) store.get("name");
    return (Materialized) withSerdes(Materialized.as(
        org.apache.kafka.streams.state.Stores.persistentVersionedKeyValueStore(name, Windows.duration(store, "versioned"))));
  }

  /** The store of a window. */
  static <S extends StateStore> Materialized<Object, Object, S> window(Map<String, Object> node) {
    return retained(node, named(node));
  }

  /**
   * Windows are kept for long: Kafka Streams loses final results when time leaps over the retention, because the store
   * forgets windows before they are emitted.
   */
  static <S extends StateStore> Materialized<Object, Object, S> retained(
      Map<String, Object> node, Materialized<Object, Object, S> store) {
    boolean own = node.containsKey(LITERALLY) || node.containsKey(OWN_RETENTION);
    return node.get("window") == null || own ? store : store.withRetention(RETENTION);
  }

  static <S extends StateStore> Materialized<Object, Object, S> named(Map<String, Object> node) {
    String name = node.get("store") == null ? null : (String) map(node.get("store")).get("name");
    return name == null ? unnamed() : withSerdes(Materialized.as(name));
  }

  static <S extends StateStore> Materialized<Object, Object, S> unnamed() {
    return Materialized.with(new JsonSerde(), new JsonSerde());
  }

  private static <S extends StateStore> Materialized<Object, Object, S> withSerdes(Materialized<Object, Object, S> store) {
    return store.withKeySerde(new JsonSerde()).withValueSerde(new JsonSerde());
  }

  static String safe(String id) {
    return id.replaceAll("[^A-Za-z0-9._-]", "-");
  }
}
