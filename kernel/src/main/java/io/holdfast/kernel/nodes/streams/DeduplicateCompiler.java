package io.holdfast.kernel.nodes.streams;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;

/** Compiles deduplicate. */
public final class DeduplicateCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("deduplicate", DeduplicateCompiler::new, Trait.NEEDS_KEY));

  public DeduplicateCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    BoundExpressions by = keyed(scope(), node.get("by"));
    long within = node.get("within").asLong();
    StoreSpec store = store();
    return stateful(key(0), value(0), 1, List.of("time"), (s, t) -> new Deduplicate(s, t, by, within, store));
  }
}
