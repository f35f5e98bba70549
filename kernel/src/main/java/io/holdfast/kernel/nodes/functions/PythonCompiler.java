package io.holdfast.kernel.nodes.functions;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Compiles the call of a Python function. */
public final class PythonCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("python", PythonCompiler::new));

  public PythonCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    PythonFunction function = python(node.get("function").asText());
    DataType result = NullableType.of(TypeJson.of(node.get("returns")));
    DataType key = key(0);
    DataType value = value(0);
    return stateless(key, PythonNode.type(value, result), (s, t) -> new PythonNode(s, t, function, key, value, result));
  }
}
