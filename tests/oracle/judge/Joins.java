package io.holdfast.judge;

import static io.holdfast.judge.Expr.map;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;

/** Joins of streams and tables. */
final class Joins {
  private static final Object FAILED = new Object();
  /** Of the records that generated programs join without saying how; of a side that is not there they are null. */
  private static final List<String> FIELDS = List.of("a", "b", "c", "d");
  private final Graph graph;
  private final Stateless stateless;

  Joins(Graph graph, Stateless stateless) {
    this.graph = graph;
    this.stateless = stateless;
  }

  /** A stream with a table or a global table. */
  KStream<Object, Object> withTable(Map<String, Object> node) {
    KStream<Object, Object> stream = graph.stream(node, 0);
    boolean left = (Boolean) node.get("left");
    if (node.get("with").equals("global")) {
      return joined(withGlobal(node, stream, left));
    }
    if (!left) {
      boolean silent = graph.silent(node, graph.repartitions(node, 0));
      graph.drops.watch(stream, silent, (k, v) -> k == null && v != null);
      graph.drops.watchSkipped(stream, (k, v) -> silent && k == null && v == null);
    }
    KTable<Object, Object> table = graph.table(node, 1);
    Joined<Object, Object, Object> how = Joined.with(new JsonSerde(), new JsonSerde(), new JsonSerde());
    how = node.get("grace") == null ? how : how.withGracePeriod(Windows.duration(node, "grace"));
    return joined(left ? stream.leftJoin(table, joiner(node), how) : stream.join(table, joiner(node), how));
  }

  private KStream<Object, Object> withGlobal(Map<String, Object> node, KStream<Object, Object> all, boolean left) {
    KStream<Object, Object> stream = node.get("on") == null ? all : stateless.evaluable(all, node.get("on"));
    GlobalKTable<Object, Object> global = graph.input(node, 1);
    if (left) {
      return stream.leftJoin(global, (k, v) -> on(node, k, v), joiner(node));
    }
    graph.drops.watch(stream, false, (k, v) -> v != null && on(node, k, v) == null);
    return stream.join(global, (k, v) -> on(node, k, v), joiner(node));
  }

  private static Object on(Map<String, Object> node, Object key, Object value) {
    return node.get("on") == null ? key : Expr.eval(map(node.get("on")), Scope.record(key, value));
  }

  /** Two streams within a time. */
  KStream<Object, Object> ofStreams(Map<String, Object> node) {
    KStream<Object, Object> left = graph.stream(node, 0);
    KStream<Object, Object> right = graph.stream(node, 1);
    // Stores in memory take the time of null values for that of a record; those on disk, the default, do not.
    StreamJoined<Object, Object, Object> how = StreamJoined.with(new JsonSerde(), new JsonSerde(), new JsonSerde())
        .withDslStoreSuppliers(new BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers());
    switch ((String) node.get("how")) {
      case "inner":
        return joined(left.join(right, joiner(node), Windows.join(node), how));
      case "left":
        return joined(left.leftJoin(right, joiner(node), Windows.join(node), how));
      default:
        return joined(left.outerJoin(right, joiner(node), Windows.join(node), how));
    }
  }

  /** Two tables by their keys. */
  Object ofTables(Map<String, Object> node) {
    KTable<Object, Object> left = graph.table(node, 0);
    KTable<Object, Object> right = graph.table(node, 1);
    ValueJoiner<Object, Object, Object> with = (l, r) -> value(node, null, l, r);
    boolean stored = node.get("store") != null;
    switch ((String) node.get("how")) {
      case "inner":
        return stored ? left.join(right, with, Stores.keyValue(node)) : left.join(right, with);
      case "left":
        return stored ? left.leftJoin(right, with, Stores.keyValue(node)) : left.leftJoin(right, with);
      default:
        return stored ? left.outerJoin(right, with, Stores.keyValue(node)) : left.outerJoin(right, with);
    }
  }

  /** Two tables by a foreign key in the left one's values. */
  Object byForeignKey(Map<String, Object> node) {
    KTable<Object, Object> left = graph.table(node, 0);
    KTable<Object, Object> right = graph.table(node, 1);
    ValueJoiner<Object, Object, Object> with = (l, r) -> value(node, null, l, r);
    java.util.function.BiFunction<Object, Object, Object> key = (k, v) -> on(node, k, v);
    boolean stored = node.get("store") != null;
    if (node.get("how").equals("inner")) {
      return stored ? left.join(right, key, with, Stores.keyValue(node)) : left.join(right, key, with);
    }
    return stored ? left.leftJoin(right, key, with, Stores.keyValue(node)) : left.leftJoin(right, key, with);
  }

  private static ValueJoinerWithKey<Object, Object, Object, Object> joiner(Map<String, Object> node) {
    return (k, l, r) -> {
      try {
        return value(node, k, l, r);
      } catch (ArithmeticException | NumberFormatException failure) {
        return FAILED;
      }
    };
  }

  /** What a joiner gives; without one, the fields of both sides. */
  private static Object value(Map<String, Object> node, Object key, Object left, Object right) {
    if (node.get("joiner") != null) {
      return Expr.eval(map(node.get("joiner")), Scope.of("left", left, "right", right, "key", key));
    }
    Map<String, Object> both = new LinkedHashMap<>();
    FIELDS.forEach(name -> both.put(name, null));
    both.putAll(left == null ? Map.of() : map(left));
    both.putAll(right == null ? Map.of() : map(right));
    return both;
  }

  private KStream<Object, Object> joined(KStream<Object, Object> out) {
    return out.filter((k, v) -> {
      if (v == FAILED) {
        graph.drops.failed();
      }
      return v != FAILED;
    });
  }
}
