package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.task.Spec;
import java.util.Map;
import java.util.Set;

/** Resolves one node of the plan document. */
final class NodeCompiler {
  private static final Set<String> TABLES = Set.of(
      "to_table", "table_copy", "join", "count", "agg", "reduce", "aggregate", "top", "table_filter", "table_map_values");
  private static final Set<String> SOURCES = Set.of("source", "dataframe");

  private NodeCompiler() {}

  static NodeContext of(JsonNode node, Map<String, Spec> specs, Map<String, JsonNode> json) {
    String op = node.get("op").asText();
    if (SOURCES.contains(op)) {
      return new SourceCompiler(node, specs, json);
    }
    return TABLES.contains(op) ? new TableCompiler(node, specs, json) : new StatelessCompiler(node, specs, json);
  }
}
