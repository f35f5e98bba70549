package io.holdfast.kernel.nodes.functions;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.PlainType;
import io.holdfast.kernel.serde.Types;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.Map;
import org.apache.spark.sql.types.DataType;

/** Resolves the call of a Python function. */
public final class PythonCompiler extends NodeCompiler {
  public PythonCompiler(JsonNode node, Map<String, Spec> specs, Map<String, JsonNode> json) {
    super(node, specs, json);
  }

  @Override
  public Spec compile() {
    PythonFunction function = python(node.get("function").asText());
    DataType result = PlainType.of(Types.of(node.get("returns")));
    DataType key = key(0);
    DataType value = value(0);
    return stateless(key, PythonNode.type(value, result), (s, t) -> new PythonNode(s, t, function, key, value, result));
  }
}
