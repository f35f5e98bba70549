package io.holdfast.kernel.nodes.tables;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.serde.WindowTimes;
import io.holdfast.kernel.task.NodeSpec;
import java.util.List;

/** Compiles suppress. */
public final class SuppressCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("suppress", SuppressCompiler::new, Trait.NEEDS_EVERY_UPDATE, Trait.READ_THROUGH));

  public SuppressCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    boolean windows = node.get("until").asText().equals("window_closes");
    if (windows && !WindowTimes.isWindowed(key(0))) {
      throw new IllegalArgumentException("the keys are " + key(0).simpleString() + "; only a table of windows has windows that close");
    }
    long most = node.hasNonNull("max_records") ? node.get("max_records").asLong() : Long.MAX_VALUE;
    Suppress.Until until = new Suppress.Until(windows, node.get("limit").asLong(), most, node.get("on_full").asText().equals("fail"));
    var store = store();
    return stateful(key(0), value(0), 1, List.of("time"), (s, t) -> new Suppress(s, t, store, until));
  }
}
