package io.holdfast.kernel.nodes.joins;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.nodes.DefaultJoiner;
import io.holdfast.kernel.nodes.DslScopes;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.task.NodeSpec;
import java.util.List;

/** Compiles stream-stream joins. */
public final class StreamJoinCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("stream_join", StreamJoinCompiler::new, Trait.NEEDS_KEY));

  public StreamJoinCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    if (!key(0).equals(key(1))) {
      throw new IllegalArgumentException("the key is " + key(0).simpleString() + ", the other stream '" + input(1).id
          + "' has key " + key(1).simpleString() + "; give both the same with select_key");
    }
    Scope scope = DslScopes.join(key(0), value(0), value(1));
    BoundExpressions joiner = Compiler.bind(scope, node.hasNonNull("joiner") ? node.get("joiner") : DefaultJoiner.ofBoth(value(0), value(1)));
    String how = node.get("how").asText();
    StreamJoin.Plan plan = new StreamJoin.Plan(
        input(0).id.equals(input(1).id), !how.equals("inner"), how.equals("outer"), span("before"), span("after"), span("grace"), joiner,
        node.hasNonNull("late") ? node.get("late").asText() : null, store(), value(0), value(1));
    return stateful(key(0), joiner.type(0), 2, List.of(StreamJoin.Plan.TIMES), (s, t) -> new StreamJoin(s, t, plan));
  }

  private long span(String name) {
    return node.get(name).asLong();
  }
}
