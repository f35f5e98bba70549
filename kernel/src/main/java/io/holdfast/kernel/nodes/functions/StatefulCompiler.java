package io.holdfast.kernel.nodes.functions;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Compiles a Python function with state and timers. */
public final class StatefulCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("stateful", StatefulCompiler::new, Trait.NEEDS_KEY));

  public StatefulCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    PythonFunction function = python(node.get("function").asText());
    DataType result = NullableType.of(TypeJson.of(node.get("returns")));
    DataType event = value(0);
    NodeSpec spec = stateful(key(0), result, 1, List.of(StatefulNode.TIME, StatefulNode.WALL),
        (s, t) -> new StatefulNode(s, t, function, event));
    // With its defaults: a state that was stored before a field was added does not have it.
    spec.storedValue = TypeJson.of(node.get("state"));
    return spec;
  }
}
