package io.holdfast.kernel.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.task.NodeSpec;
import java.util.Map;
import java.util.function.Function;

/**
 * The nodes of a plan document by id.
 *
 * @param json as the document has them
 * @param specs as they are compiled; those that stand later in the document are not there yet
 * @param operators by name; fails for one that is not known
 */
public record PlanNodes(Map<String, JsonNode> json, Map<String, NodeSpec> specs, Function<String, Operator> operators) {
  /** The operation of a node. */
  public Operator operator(JsonNode node) {
    return operators.apply(node.get("op").asText());
  }
}
