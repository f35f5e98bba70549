package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** What was built so far, by the ids of our nodes, and which of it has a changed key. */
final class Graph {
  private static final Set<String> CHANGE_KEYS = Set.of("map", "flat_map", "select_key");
  private static final Set<String> KEEP_KEYS =
      Set.of("filter", "filter_not", "require", "map_values", "flat_map_values", "split", "branch", "merge");
  final StreamsBuilder builder = new StreamsBuilder();
  final Drops drops;
  private final Map<String, Object> built = new HashMap<>();
  private final Set<String> rekeyed = new HashSet<>();
  private final Set<String> relaxed = new HashSet<>();

  Graph(List<Object> nodes, Drops drops) {
    this.drops = drops;
    for (int i = nodes.size() - 1; i >= 0; i--) {
      relax(map(nodes.get(i)));
    }
  }

  /** A join that emits without a right side lets records without a key through the repartitions before it. */
  private void relax(Map<String, Object> node) {
    boolean emitsUnjoined = Boolean.TRUE.equals(node.get("left"))
        || "stream_join".equals(node.get("op")) && !"inner".equals(node.get("how"));
    if (emitsUnjoined || relaxed.contains((String) node.get("id"))) {
      List<Object> inputs = list(node.get("inputs"));
      boolean onlyFirst = "join".equals(node.get("op"));
      inputs.subList(0, onlyFirst ? 1 : inputs.size()).forEach(input -> relaxed.add((String) input));
    }
  }

  void put(Map<String, Object> node, Object made) {
    String op = (String) node.get("op");
    boolean keeps = KEEP_KEYS.contains(op) || "global".equals(node.get("with"));
    if (CHANGE_KEYS.contains(op) || keeps && list(node.get("inputs")).stream().anyMatch(rekeyed::contains)) {
      rekeyed.add((String) node.get("id"));
    }
    built.put((String) node.get("id"), made);
  }

  /** Whether an input has a changed key, so that a stateful operation repartitions it. */
  boolean repartitions(Map<String, Object> node, int i) {
    return rekeyed.contains((String) list(node.get("inputs")).get(i));
  }

  /** Whether Kafka Streams drops a record without a key where nothing counts it: before a repartition. */
  boolean silent(Map<String, Object> node, boolean repartitions) {
    return repartitions && !relaxed.contains((String) node.get("id"));
  }

  KStream<Object, Object> stream(Map<String, Object> node, int i) {
    return input(node, i);
  }

  KTable<Object, Object> table(Map<String, Object> node, int i) {
    return input(node, i);
  }

  @SuppressWarnings("unchecked")
  <T> T input(Map<String, Object> node, int i) {
    return (T) built.get((String) list(node.get("inputs")).get(i));
  }
}
