package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.BranchedKStream;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;

/** Our topology's nodes as calls of Kafka Streams' DSL, one for one. */
final class Builder {
  private static final Set<String> SEE_OLD_VALUES =
      Set.of("table_filter", "table_group_by", "table_join", "fk_join", "suppress");
  private final Graph graph;
  private final Stateless stateless;
  private final Aggregates aggregates;
  private final Joins joins;

  private Builder(List<Object> nodes, Drops drops, boolean literally) {
    graph = new Graph(nodes, drops);
    stateless = new Stateless(drops);
    aggregates = new Aggregates(graph, literally);
    joins = new Joins(graph, stateless);
  }

  /** Where nothing sees the old values of tables, Kafka Streams' initial values do not show: then its own `count` serves. */
  static Topology build(List<Object> nodes, Drops drops, boolean literally) {
    boolean unseen = nodes.stream().noneMatch(node -> SEE_OLD_VALUES.contains((String) map(node).get("op")));
    Builder self = new Builder(nodes, drops, literally || unseen);
    for (Object each : nodes) {
      if (literally) {
        map(each).put(Stores.LITERALLY, true);
      }
      self.graph.put(map(each), self.add(map(each)));
    }
    return self.graph.builder.build();
  }

  private Object add(Map<String, Object> node) {
    switch ((String) node.get("op")) {
      case "source":
        return source(node);
      case "filter", "require":
        return stateless.filter(stream(node), node.get("predicate"), true);
      case "filter_not":
        return stateless.filter(stream(node), node.get("predicate"), false);
      case "map":
        return stateless.map(stream(node), node.get("key"), node.get("value"));
      case "map_values":
        return stateless.mapValues(stream(node), node.get("value"));
      case "select_key":
        return stateless.selectKey(stream(node), node.get("key"));
      case "flat_map":
        return stateless.flatMap(stream(node), node.get("items"));
      case "flat_map_values":
        return stateless.flatMapValues(stream(node), node.get("items"));
      case "split":
        return split(node);
      case "branch":
        return list(graph.input(node, 0)).get(((Long) node.get("index")).intValue());
      case "merge":
        return merge(node);
      case "repartition":
        return stream(node).repartition();
      case "to":
        return to(node);
      case "to_table":
        return keyed(node).toTable(Stores.keyValue(node));
      case "to_stream":
        return graph.table(node, 0).toStream();
      case "group_by":
        KStream<Object, Object> rekeyed = stateless.selectKey(stream(node), node.get("key"));
        return new Grouping(graph.drops.watched(rekeyed, graph.silent(node, true)), true, graph.drops, literally(node));
      case "group_by_key":
        return new Grouping(keyed(node), graph.repartitions(node, 0), graph.drops, literally(node));
      default:
        return addStateful(node);
    }
  }

  private Object addStateful(Map<String, Object> node) {
    switch ((String) node.get("op")) {
      case "join":
        return joins.withTable(node);
      case "stream_join":
        return joins.ofStreams(node);
      case "table_join":
        return joins.ofTables(node);
      case "fk_join":
        return joins.byForeignKey(node);
      case "table_filter":
        return graph.table(node, 0).filter((k, v) -> Expr.test(map(node.get("predicate")), Scope.record(k, v)));
      case "table_map_values":
        return mapTable(node);
      case "table_group_by":
        return graph.table(node, 0).groupBy(
            (k, v) -> KeyValue.pair(Expr.eval(map(node.get("key")), Scope.record(k, v)), v),
            Grouped.with(new JsonSerde(), new JsonSerde()));
      case "suppress":
        return suppress(node);
      case "store":
        return graph.builder.addStateStore(Processors.store(node));
      case "process":
        return Processors.process(stream(node), node);
      case "child", "rekeyed_child":
        // Who is named gets what is meant for him; a child without a name is what follows.
        return node.get("name") == null ? stream(node) : stream(node).filter((k, v) -> true, Named.as((String) node.get("id")));
      default:
        return aggregates.add(node);
    }
  }

  private Object source(Map<String, Object> node) {
    List<String> topics = new ArrayList<>();
    list(node.get("topics")).forEach(topic -> topics.add((String) topic));
    switch ((String) node.get("kind")) {
      case "stream":
        return graph.builder.<Object, Object>stream(topics);
      case "table":
        topics.forEach(graph.drops::tableTopic);
        return graph.builder.<Object, Object>table(topics.get(0), Stores.keyValue(node));
      default:
        topics.forEach(graph.drops::tableTopic);
        return graph.builder.<Object, Object>globalTable(topics.get(0), Stores.keyValue(node));
    }
  }

  private Object split(Map<String, Object> node) {
    List<Object> predicates = list(node.get("branches"));
    BranchedKStream<Object, Object> branches =
        stateless.splittable(stream(node), predicates).split(Named.as((String) node.get("id")));
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
      merged = merged.merge(graph.stream(node, i));
    }
    return merged;
  }

  private Object to(Map<String, Object> node) {
    Object input = graph.input(node, 0);
    KStream<Object, Object> stream = input instanceof KTable<?, ?> ? graph.table(node, 0).toStream() : stream(node);
    Produced<Object, Object> how = Produced.with(new JsonSerde(), new JsonSerde());
    if (node.get("headers") != null) {
      stream = stateless.headed(stream, node.get("headers"));
    }
    if (node.get("topic") instanceof String topic) {
      stream.to(topic, how);
    } else {
      stateless.having(stream, node.get("topic")).to((k, v, context) -> (String) Expr.eval(map(node.get("topic")),
          Scope.record(k, v, context.timestamp(), context.headers(), context.topic())), how);
    }
    return null;
  }

  private Object mapTable(Map<String, Object> node) {
    KTable<Object, Object> table = graph.table(node, 0);
    return node.get("store") == null
        ? table.mapValues((k, v) -> Expr.eval(map(node.get("value")), Scope.record(k, v)))
        : table.mapValues((k, v) -> Expr.eval(map(node.get("value")), Scope.record(k, v)), Stores.keyValue(node));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Object suppress(Map<String, Object> node) {
    KTable table = graph.table(node, 0);
    boolean bounded = node.get("max_records") != null;
    Suppressed.EagerBufferConfig some = bounded ? Suppressed.BufferConfig.maxRecords((Long) node.get("max_records")) : null;
    Suppressed.StrictBufferConfig all = bounded ? some.shutDownWhenFull() : Suppressed.BufferConfig.unbounded();
    if (node.get("until").equals("window_closes")) {
      return table.suppress(Suppressed.untilWindowCloses(all));
    }
    Suppressed.BufferConfig<?> buffer = bounded && "emit".equals(node.get("on_full")) ? some : all;
    return table.suppress(Suppressed.untilTimeLimit(Windows.duration(node, "limit"), buffer));
  }

  private static boolean literally(Map<String, Object> node) {
    return node.containsKey(Stores.LITERALLY);
  }

  private KStream<Object, Object> keyed(Map<String, Object> node) {
    return graph.drops.watched(stream(node), graph.silent(node, graph.repartitions(node, 0)));
  }

  private KStream<Object, Object> stream(Map<String, Object> node) {
    return graph.stream(node, 0);
  }
}
