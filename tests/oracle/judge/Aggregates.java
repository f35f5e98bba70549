package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.Map;
import java.util.function.BiFunction;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Aggregator;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.Initializer;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Merger;
import org.apache.kafka.streams.kstream.Reducer;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueStore;

/** Aggregates of streams, of windows of streams, of tables, and of several streams together. */
final class Aggregates {
  private final Graph graph;
  private final boolean literally;

  Aggregates(Graph graph, boolean literally) {
    this.graph = graph;
    this.literally = literally;
  }

  Object add(Map<String, Object> node) {
    Object input = graph.input(node, 0);
    if (input instanceof KGroupedTable<?, ?>) {
      return ofTable(node, graph.input(node, 0));
    }
    if (node.get("op").equals("cogroup")) {
      return new Cogroups(this).add(node);
    }
    if (node.get("window") != null) {
      return new WindowedAggregates(this, literally).add(node, (Grouping) input);
    }
    return ofStream(node, (Grouping) input);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Object ofStream(Map<String, Object> node, Grouping group) {
    if (node.get("op").equals("reduce")) {
      return group.plain().reduce(reducer(node, "f"), Stores.keyValue(node));
    }
    if (literally && node.get("op").equals("count")) {
      return group.plain().count((Materialized) Stores.keyValue(node));
    }
    Fold fold = Folds.of(node, false);
    return shown(node, fold, group.plain().aggregate(initial(fold), adder(fold), inner(node, fold)));
  }

  private Object ofTable(Map<String, Object> node, KGroupedTable<Object, Object> group) {
    if (node.get("subtract") != null && node.get("op").equals("reduce")) {
      return group.reduce(reducer(node, "f"), reducer(node, "subtract"), Stores.keyValue(node));
    }
    Fold fold = node.get("op").equals("reduce") ? Kept.reduce(reducer(node, "f")) : Folds.of(node, true);
    Materialized<Object, Object, KeyValueStore<Bytes, byte[]>> store = inner(node, fold);
    return shown(node, fold, group.aggregate(fold::initial, fold::add, fold::subtract, store));
  }

  /** The store of the state itself: the node's, unless what is shown is something else and has a store of its own. */
  <S extends StateStore> Materialized<Object, Object, S> inner(Map<String, Object> node, Fold fold) {
    if (node.get("window") != null) {
      return Stores.window(node);
    }
    return fold.hidden() ? Stores.unnamed() : Stores.named(node);
  }

  /** The table that a fold shows: in the node's store, or made of the windows there, which expire. */
  <K> KTable<K, Object> shown(Map<String, Object> node, Fold fold, KTable<K, Object> states) {
    if (!fold.hidden()) {
      return states;
    }
    @SuppressWarnings("unchecked")
    KTable<Object, Object> any = (KTable<Object, Object>) states;
    @SuppressWarnings("unchecked")
    KTable<K, Object> made = (KTable<K, Object>) (node.get("window") == null
        ? any.mapValues(fold::shown, Stores.<KeyValueStore<Bytes, byte[]>>named(node)) : any.mapValues(fold::shown));
    return made;
  }

  /** What a node shows of an entry of its store. */
  static Object shown(Map<String, Object> node, Object stored) {
    boolean states = node.get("window") != null && node.get("op").equals("agg");
    return states ? Folds.of(node, false).shown(stored) : stored;
  }

  /**
   * Without a cache Kafka Streams tells that an aggregate's value before its first record was the initial one; with a cache,
   * its default, that there was none. Only the latter can be built on, so initial values are kept out of sight, unless a
   * case wants Kafka Streams `literally`.
   */
  Initializer<Object> initial(Fold fold) {
    return literally ? fold::initial : () -> null;
  }

  Aggregator<Object, Object, Object> adder(Fold fold) {
    return (k, v, s) -> fold.add(k, v, s == null ? fold.initial() : s);
  }

  /** Kafka Streams merges the sessions that a record joins into the initial value, and then adds the record. */
  Merger<Object, Object> merger(Fold fold) {
    return (k, a, b) -> b == null ? a : fold.merge(k, a == null ? fold.initial() : a, b);
  }

  static Reducer<Object> reducer(Map<String, Object> node, String field) {
    return (o, n) -> Expr.eval(map(node.get(field)), Scope.of("old", o, "new", n, "", null));
  }

  /** Each input of a cogroup with its own way to add. */
  CogroupedKStream<Object, Object> cogrouped(
      Map<String, Object> node, BiFunction<Grouping, Integer, KGroupedStream<Object, Object>> grouped) {
    CogroupedKStream<Object, Object> all = null;
    for (int i = 0; i < list(node.get("inputs")).size(); i++) {
      KGroupedStream<Object, Object> group = grouped.apply(graph.input(node, i), i);
      Aggregator<Object, Object, Object> add = adder(new Folds.Expressions(node, map(list(node.get("adds")).get(i))));
      all = all == null ? group.cogroup(add) : all.cogroup(group, add);
    }
    return all;
  }
}
