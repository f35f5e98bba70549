package io.holdfast.kernel.nodes.streams;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.task.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** Compiles the operations that process one record at a time and have no state. */
public final class StatelessCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(
      new Operator("filter", StatelessCompiler::new),
      new Operator("filter_not", StatelessCompiler::new),
      new Operator("require", StatelessCompiler::new),
      new Operator("map", StatelessCompiler::new, Trait.CHANGES_KEY),
      new Operator("map_values", StatelessCompiler::new),
      new Operator("select_key", StatelessCompiler::new, Trait.CHANGES_KEY),
      new Operator("group_by", StatelessCompiler::new, Trait.CHANGES_KEY),
      new Operator("flat_map", StatelessCompiler::new, Trait.CHANGES_KEY),
      new Operator("flat_map_values", StatelessCompiler::new),
      new Operator("split", StatelessCompiler::new),
      new Operator("branch", StatelessCompiler::new),
      new Operator("merge", StatelessCompiler::new),
      new Operator("group_by_key", StatelessCompiler::new),
      new Operator("repartition", StatelessCompiler::new, Trait.NEEDS_KEY),
      new Operator("to_stream", StatelessCompiler::new),
      new Operator("print", StatelessCompiler::new),
      new Operator("to", StatelessCompiler::new));

  public StatelessCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    return switch (op) {
      case "filter", "filter_not" -> filter();
      case "require" -> require();
      case "map" -> mapBoth();
      case "map_values" -> mapValues();
      case "select_key", "group_by" -> selectKey();
      case "flat_map" -> flatMap();
      case "flat_map_values" -> flatMapValues();
      case "split" -> split();
      case "branch" -> branch();
      case "merge" -> merge();
      case "group_by_key", "repartition", "to_stream" -> stateless(key(0), value(0), (s, t) -> new Stateless.Pass(s));
      case "print" -> print();
      case "to" -> to();
      default -> throw new IllegalArgumentException("unknown operation '" + op + "'");
    };
  }

  private NodeSpec filter() {
    BoundExpressions predicate = predicate(node.get("predicate"));
    boolean wanted = op.equals("filter");
    return stateless(key(0), value(0), (s, t) -> new Stateless.Filter(s, t, predicate, wanted));
  }

  private NodeSpec require() {
    BoundExpressions predicate = predicate(node.get("predicate"));
    String reason = node.get("reason").asText();
    return stateless(key(0), value(0), (s, t) -> new Stateless.Require(s, t, predicate, reason));
  }

  private NodeSpec mapValues() {
    BoundExpressions value = Compiler.bind(scope(), node.get("value"));
    return stateless(key(0), value.type(0), (s, t) -> new Stateless.MapValues(s, t, value));
  }

  private NodeSpec selectKey() {
    BoundExpressions key = keyed(scope(), node.get("key"));
    return stateless(key.type(0), value(0), (s, t) -> new Stateless.SelectKey(s, t, key));
  }

  private NodeSpec mapBoth() {
    BoundExpressions both = keyed(scope(), node.get("key"), node.get("value"));
    return stateless(both.type(0), both.type(1), (s, t) -> new Stateless.MapBoth(s, t, both));
  }

  private NodeSpec flatMap() {
    BoundExpressions items = Compiler.bind(scope(), node.get("items"));
    if (!(items.type(0) instanceof ArrayType a) || !(a.elementType() instanceof StructType pair) || pair.size() != 2) {
      throw new IllegalArgumentException(
          "flat_map needs an array of (key, value) pairs, it is " + items.type(0).simpleString());
    }
    DataType key = pair.fields()[0].dataType();
    DataType value = pair.fields()[1].dataType();
    return stateless(KeyTypes.of(key), value, (s, t) -> new FlatMap(s, t, items, pair, key, value));
  }

  private NodeSpec flatMapValues() {
    BoundExpressions items = Compiler.bind(scope(), node.get("items"));
    if (!(items.type(0) instanceof ArrayType a)) {
      throw new IllegalArgumentException("flat_map_values needs an array, it is " + items.type(0).simpleString());
    }
    DataType element = a.elementType();
    return stateless(key(0), element, (s, t) -> new FlatMap(s, t, items, element, null, null));
  }

  private NodeSpec split() {
    List<JsonNode> predicates = new ArrayList<>();
    node.get("branches").forEach(b -> predicates.add(b.get("predicate")));
    BoundExpressions bound = Compiler.bind(scope(), predicates.toArray(new JsonNode[0]));
    for (int i = 0; i < bound.size(); i++) {
      wantBoolean(bound, i);
    }
    BoundExpressions first = Compiler.bind(scope(), first(predicates));
    return stateless(key(0), value(0), (s, t) -> new Stateless.Split(s, t, first));
  }

  /** The index of the first predicate that is true: one expression, so that those after it are not evaluated. */
  private static JsonNode first(List<JsonNode> predicates) {
    ObjectNode first = JsonNodeFactory.instance.objectNode();
    ArrayNode cases = first.putArray("case");
    for (int i = 0; i < predicates.size(); i++) {
      cases.addArray().add(predicates.get(i)).addObject().put("lit", i);
    }
    first.putObject("else").put("lit", predicates.size());
    return first;
  }

  private NodeSpec branch() {
    int index = node.get("index").asInt();
    return stateless(key(0), value(0), (s, t) -> new Stateless.Branch(s, index));
  }

  private NodeSpec merge() {
    for (int i = 1; i < node.get("inputs").size(); i++) {
      if (!key(i).equals(key(0)) || !value(i).equals(value(0))) {
        throw new IllegalArgumentException("merge needs streams of one type: " + input(0).id + " has "
            + key(0).simpleString() + " -> " + value(0).simpleString() + ", " + input(i).id + " has "
            + key(i).simpleString() + " -> " + value(i).simpleString());
      }
    }
    return stateless(key(0), value(0), (s, t) -> new Stateless.Pass(s));
  }

  private NodeSpec print() {
    String label = node.path("label").asText("");
    return stateless(key(0), value(0), (s, t) -> new Print(s, label.isEmpty() ? s.inputs.get(0) : label));
  }

  private NodeSpec to() {
    boolean fixed = node.get("topic").isTextual();
    BoundExpressions topic = fixed ? null : Compiler.bind(scope(), node.get("topic"));
    if (topic != null && !(topic.type(0) instanceof StringType)) {
      throw new IllegalArgumentException("the topic must be text, it is " + topic.type(0).simpleString());
    }
    BoundExpressions headers = node.hasNonNull("headers") ? Compiler.bind(scope(), node.get("headers")) : null;
    boolean text = headers != null && headers.type(0) instanceof MapType m && m.valueType() instanceof StringType;
    BoundExpressions payload = node.hasNonNull("payload") ? Compiler.bind(scope(), node.get("payload")) : null;
    DataType written = payload == null ? value(0) : payload.type(0);
    To.Target target = new To.Target(fixed ? node.get("topic").asText() : null, topic, payload,
        serde("key", key(0)), serde("value", written), headers, text);
    return stateless(key(0), value(0), (s, t) -> new To(s, t, target));
  }

  private Serde serde(String which, DataType type) {
    return node.hasNonNull(which) ? OutputSerdes.of(which, node.get(which), type) : Serdes.defaultFor(type);
  }
}
