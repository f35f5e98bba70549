package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.aggregates.FoldCompiler;
import io.holdfast.kernel.nodes.aggregates.RegroupCompiler;
import io.holdfast.kernel.nodes.functions.PythonCompiler;
import io.holdfast.kernel.nodes.functions.StatefulCompiler;
import io.holdfast.kernel.nodes.joins.ForeignKeyCompiler;
import io.holdfast.kernel.nodes.joins.StreamJoinCompiler;
import io.holdfast.kernel.nodes.joins.StreamTableJoinCompiler;
import io.holdfast.kernel.nodes.joins.TableJoinCompiler;
import io.holdfast.kernel.nodes.patterns.MatchCompiler;
import io.holdfast.kernel.nodes.processors.ProcessCompiler;
import io.holdfast.kernel.nodes.streams.DeduplicateCompiler;
import io.holdfast.kernel.nodes.streams.StatelessCompiler;
import io.holdfast.kernel.nodes.tables.SuppressCompiler;
import io.holdfast.kernel.nodes.tables.TableCompiler;
import io.holdfast.kernel.task.Spec;
import java.util.HashMap;
import java.util.Map;

/** Resolves one node of the plan document: each operation has its compiler. */
final class Operators {
  private static final Map<String, Maker> MAKERS = new HashMap<>();

  static {
    add(SuppressCompiler::new, "suppress");
    add(SourceCompiler::new, "source", "dataframe");
    add(TableCompiler::new, "to_table", "table_copy", "table_filter", "table_map_values");
    add(RegroupCompiler::new, "table_group_by");
    add(DeduplicateCompiler::new, "deduplicate");
    add(FoldCompiler::new, "count", "agg", "reduce", "aggregate", "cogroup", "top");
    add(MatchCompiler::new, "match");
    add(StreamTableJoinCompiler::new, "join");
    add(StreamJoinCompiler::new, "stream_join");
    add(TableJoinCompiler::new, "table_join");
    add(ForeignKeyCompiler::new, "fk_subscribe", "fk_lookup", "fk_join");
    add(PythonCompiler::new, "python");
    add(ProcessCompiler::new, "process", "store", "child", "rekeyed_child");
    add(StatefulCompiler::new, "stateful");
  }

  private Operators() {}

  private interface Maker {
    NodeCompiler of(JsonNode node, Map<String, Spec> specs, Map<String, JsonNode> json);
  }

  private static void add(Maker maker, String... ops) {
    for (String op : ops) {
      MAKERS.put(op, maker);
    }
  }

  static NodeCompiler of(JsonNode node, Map<String, Spec> specs, Map<String, JsonNode> json) {
    return MAKERS.getOrDefault(node.get("op").asText(), StatelessCompiler::new).of(node, specs, json);
  }
}
