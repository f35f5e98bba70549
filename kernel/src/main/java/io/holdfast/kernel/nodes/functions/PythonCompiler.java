package io.holdfast.kernel.nodes.functions;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.serde.Types;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Resolves the call of a Python function. */
public final class PythonCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("python", PythonCompiler::new));

  public PythonCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public Spec compile() {
    PythonFunction function = python(node.get("function").asText());
    DataType result = NullableType.of(Types.of(node.get("returns")));
    DataType key = key(0);
    DataType value = value(0);
    return stateless(key, PythonNode.type(value, result), (s, t) -> new PythonNode(s, t, function, key, value, result));
  }
}
