package io.holdfast.kernel.nodes.processors;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.nodes.streams.Stateless;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;

/** Compiles processors, their stores and their child nodes. */
public final class ProcessCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(
      new Operator("process", ProcessCompiler::new, Trait.NEEDS_KEY),
      new Operator("store", ProcessCompiler::new),
      new Operator("child", ProcessCompiler::new),
      new Operator("rekeyed_child", ProcessCompiler::new, Trait.CHANGES_KEY));

  private final Map<String, NodeSpec> known;

  public ProcessCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
    this.known = plan.specs();
  }

  @Override
  public NodeSpec compile() {
    return switch (op) {
      case "process" -> process();
      case "store" -> stateful(
          KeyTypes.of(NullableType.of(TypeJson.of(node.get("key")))), NullableType.of(TypeJson.of(node.get("value"))), 0,
          ProcessorStore::new);
      default -> child();
    };
  }

  private NodeSpec process() {
    PythonFunction function = python(node.get("function").asText());
    List<String> stores = new ArrayList<>();
    node.get("stores").forEach(each -> stores.add(each.get("id").asText()));
    List<String> children = new ArrayList<>();
    node.get("ways").forEach(each -> children.add(each.asText()));
    return stateful(key(0), value(0), node.get("inputs").size(),
        (s, t) -> new ProcessNode(s, t, new ProcessNode.Plan(function, List.copyOf(stores), List.copyOf(children))));
  }

  /** A child without a declared type has the type of the processor's input. */
  private NodeSpec child() {
    NodeSpec like = known.get(node.get("like").asText());
    DataType key = node.hasNonNull("key") ? KeyTypes.of(NullableType.of(TypeJson.of(node.get("key")))) : like.key;
    DataType value = node.hasNonNull("value") ? NullableType.of(TypeJson.of(node.get("value"))) : like.value;
    return stateless(key, value, (s, t) -> new Stateless.Pass(s));
  }
}
