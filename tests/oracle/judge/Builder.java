package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Aggregator;
import org.apache.kafka.streams.kstream.BranchedKStream;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;
import org.apache.kafka.streams.state.KeyValueStore;

/** Our topology's nodes as calls of Kafka Streams' DSL, one for one. */
final class Builder {
  private static final Set<String> CHANGE_KEYS = Set.of("map", "flat_map", "select_key");
  private static final Set<String> KEEP_KEYS =
      Set.of("filter", "filter_not", "map_values", "flat_map_values", "split", "branch", "merge");
  private final StreamsBuilder builder = new StreamsBuilder();
  private final Map<String, Object> built = new HashMap<>();
  private final Set<String> rekeyed = new HashSet<>();
  private final Drops drops;

  private final boolean literally;

  private Builder(Drops drops, boolean literally) {
    this.drops = drops;
    this.literally = literally;
  }

  /**
   * Without a cache Kafka Streams tells that an aggregate's value before its first record was the initial one; with a cache,
   * its default, that there was none. Only the latter can be built on, so initial values are kept out of sight, unless a
   * case wants Kafka Streams `literally`.
   */
  static Topology build(List<Object> nodes, Drops drops, boolean literally) {
    Builder self = new Builder(drops, literally || nodes.stream().noneMatch(n -> map(n).get("op").equals("table_filter")));
    for (Object each : nodes) {
      Map<String, Object> node = map(each);
      self.built.put((String) node.get("id"), self.add(node));
      if (self.needsRepartition(node)) {
        self.rekeyed.add((String) node.get("id"));
      }
    }
    return self.builder.build();
  }

  /** Whether what comes out has a changed key: the next stateful operation repartitions it. */
  private boolean needsRepartition(Map<String, Object> node) {
    String op = (String) node.get("op");
    return CHANGE_KEYS.contains(op)
        || (KEEP_KEYS.contains(op) || "global".equals(node.get("with"))) && inputRekeyed(node);
  }

  private boolean inputRekeyed(Map<String, Object> node) {
    return list(node.get("inputs")).stream().anyMatch(rekeyed::contains);
  }

  private KStream<Object, Object> keyed(Map<String, Object> node) {
    return drops.watched(stream(node), inputRekeyed(node));
  }

  private Object add(Map<String, Object> node) {
    switch ((String) node.get("op")) {
      case "source":
        return source(node);
      case "filter":
        return stream(node).filter((k, v) -> test(node, "predicate", k, v));
      case "filter_not":
        return stream(node).filterNot((k, v) -> test(node, "predicate", k, v));
      case "map":
        return stream(node).map((k, v) -> KeyValue.pair(eval(node, "key", k, v), eval(node, "value", k, v)));
      case "map_values":
        return stream(node).mapValues((k, v) -> eval(node, "value", k, v));
      case "select_key":
        return stream(node).selectKey((k, v) -> eval(node, "key", k, v));
      case "flat_map":
        return stream(node).flatMap((k, v) -> pairs(eval(node, "items", k, v)));
      case "flat_map_values":
        return stream(node).flatMapValues((k, v) -> items(eval(node, "items", k, v)));
      case "split":
        return split(node);
      case "branch":
        return list(input(node, 0)).get(((Long) node.get("index")).intValue());
      case "merge":
        return merge(node);
      case "repartition":
        return stream(node).repartition();
      case "to":
        return to(node);
      case "to_table":
        return keyed(node).toTable(materialized(node));
      case "to_stream":
        return table(node, 0).toStream();
      case "join":
        return join(node);
      case "group_by":
        return drops.watched(stream(node).selectKey((k, v) -> eval(node, "key", k, v)), true).groupByKey();
      case "group_by_key":
        return keyed(node).groupByKey();
      case "table_filter":
        return table(node, 0).filter((k, v) -> test(node, "predicate", k, v));
      case "table_map_values":
        return mapTable(node);
      default:
        return aggregate(node);
    }
  }

  private Object source(Map<String, Object> node) {
    List<String> topics = new ArrayList<>();
    list(node.get("topics")).forEach(topic -> topics.add((String) topic));
    switch ((String) node.get("kind")) {
      case "stream":
        return builder.<Object, Object>stream(topics);
      case "table":
        topics.forEach(drops::tableTopic);
        return builder.<Object, Object>table(topics.get(0), materialized(node));
      default:
        topics.forEach(drops::tableTopic);
        return builder.<Object, Object>globalTable(topics.get(0), materialized(node));
    }
  }

  private Object split(Map<String, Object> node) {
    BranchedKStream<Object, Object> branches = stream(node).split(Named.as((String) node.get("id")));
    List<Object> predicates = list(node.get("branches"));
    for (Object each : predicates) {
      Map<String, Object> predicate = map(map(each).get("predicate"));
      branches = branches.branch((k, v) -> Expr.test(predicate, Scope.record(k, v)));
    }
    Map<String, KStream<Object, Object>> made = branches.defaultBranch();
    List<Object> ordered = new ArrayList<>();
    for (int i = 1; i <= predicates.size(); i++) {
      ordered.add(made.get(node.get("id") + String.valueOf(i)));
    }
    ordered.add(made.get(node.get("id") + "0"));
    return ordered;
  }

  private Object merge(Map<String, Object> node) {
    KStream<Object, Object> merged = stream(node);
    for (int i = 1; i < list(node.get("inputs")).size(); i++) {
      merged = merged.merge(this.<KStream<Object, Object>>input(node, i));
    }
    return merged;
  }

  private Object to(Map<String, Object> node) {
    Object input = input(node, 0);
    KStream<Object, Object> stream = input instanceof KTable<?, ?> ? table(node, 0).toStream() : stream(node);
    if (node.get("topic") instanceof String topic) {
      stream.to(topic);
    } else {
      stream.to((k, v, context) -> (String) eval(node, "topic", k, v));
    }
    return null;
  }

  private Object join(Map<String, Object> node) {
    boolean left = (Boolean) node.get("left");
    Map<String, Object> joiner = map(node.get("joiner"));
    ValueJoinerWithKey<Object, Object, Object, Object> with =
        (k, l, r) -> Expr.eval(joiner, Scope.of("left", l, "right", r, "key", k));
    if (node.get("with").equals("global")) {
      KStream<Object, Object> stream = stream(node);
      GlobalKTable<Object, Object> global = input(node, 1);
      if (!left) {
        drops.watch(stream, false, (k, v) -> v != null && on(node, k, v) == null);
      }
      return left
          ? stream.leftJoin(global, (k, v) -> on(node, k, v), with)
          : stream.join(global, (k, v) -> on(node, k, v), with);
    }
    KStream<Object, Object> stream = stream(node);
    if (!left) {
      drops.watch(stream, inputRekeyed(node), (k, v) -> k == null && v != null);
    }
    return left ? stream.leftJoin(table(node, 1), with) : stream.join(table(node, 1), with);
  }

  private Object on(Map<String, Object> node, Object key, Object value) {
    return node.get("on") == null ? key : eval(node, "on", key, value);
  }

  private Object mapTable(Map<String, Object> node) {
    KTable<Object, Object> table = table(node, 0);
    return node.get("store") == null
        ? table.mapValues((k, v) -> eval(node, "value", k, v))
        : table.mapValues((k, v) -> eval(node, "value", k, v), materialized(node));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Object aggregate(Map<String, Object> node) {
    KGroupedStream<Object, Object> grouped = input(node, 0);
    Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = materialized(node);
    switch ((String) node.get("op")) {
      case "count":
        return literally ? grouped.count((Materialized) store) : folded(grouped, 0L, (k, v, s) -> (Long) s + 1, store);
      case "reduce":
        return grouped.reduce((o, n) -> Expr.eval(map(node.get("f")), Scope.of("old", o, "new", n, "", null)), store);
      case "aggregate":
        Object initial = Expr.eval(map(node.get("initial")), Map.of());
        return folded(grouped, initial,
            (k, v, s) -> Expr.eval(map(node.get("add")), Scope.of("state", s, "value", v, "key", k)), store);
      case "agg":
        return folded(grouped, Map.of(), Folds.functions(list(node.get("fields"))), store);
      case "top":
        return folded(grouped, List.of(), Folds.top(node), store);
      default:
        throw new IllegalArgumentException("not in the judge's language: " + node);
    }
  }

  private KTable<Object, Object> folded(
      KGroupedStream<Object, Object> grouped, Object initial, Aggregator<Object, Object, Object> add,
      Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store) {
    return literally
        ? grouped.aggregate(() -> initial, add, store)
        : grouped.aggregate(() -> null, (k, v, s) -> add.apply(k, v, s == null ? initial : s), store);
  }

  private static Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> materialized(Map<String, Object> node) {
    String name = (String) map(node.get("store")).get("name");
    Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store =
        name == null ? Materialized.with(new JsonSerde(), new JsonSerde()) : Materialized.as(name);
    return store.withKeySerde(new JsonSerde()).withValueSerde(new JsonSerde());
  }

  private static Object eval(Map<String, Object> node, String field, Object key, Object value) {
    return Expr.eval(map(node.get(field)), Scope.record(key, value));
  }

  private static boolean test(Map<String, Object> node, String field, Object key, Object value) {
    return Expr.test(map(node.get(field)), Scope.record(key, value));
  }

  private static List<Object> items(Object array) {
    return array == null ? List.of() : list(array);
  }

  private static List<KeyValue<Object, Object>> pairs(Object array) {
    List<KeyValue<Object, Object>> out = new ArrayList<>();
    items(array).forEach(pair -> out.add(KeyValue.pair(map(pair).get("key"), map(pair).get("value"))));
    return out;
  }

  private KStream<Object, Object> stream(Map<String, Object> node) {
    return input(node, 0);
  }

  private KTable<Object, Object> table(Map<String, Object> node, int i) {
    return input(node, i);
  }

  @SuppressWarnings("unchecked")
  private <T> T input(Map<String, Object> node, int i) {
    return (T) built.get((String) list(node.get("inputs")).get(i));
  }
}
