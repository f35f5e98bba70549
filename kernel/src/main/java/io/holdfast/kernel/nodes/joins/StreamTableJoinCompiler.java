package io.holdfast.kernel.nodes.joins;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Compiles stream-table joins. */
public final class StreamTableJoinCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("join", StreamTableJoinCompiler::new));

  public StreamTableJoinCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    boolean left = node.get("left").asBoolean();
    DataType tableKey = key(1);
    BoundExpressions on = null;
    if (node.hasNonNull("on")) {
      BoundExpressions raw = keyed(scope(), node.get("on"));
      on = raw;
      requireSameKey(raw.type(0), tableKey);
    } else {
      requireSameKey(key(0), tableKey);
    }
    BoundExpressions joiner = joiner(key(0), value(0), value(1));
    BoundExpressions by = on;
    if (node.hasNonNull("grace")) {
      long grace = node.get("grace").asLong();
      StoreSpec store = store();
      DataType value = value(0);
      return stateful(key(0), joiner.type(0), 1, (s, t) -> new GraceJoin(s, t, left, joiner, grace, store, value));
    }
    return new FactoryNodeSpec(head(), key(0), joiner.type(0), null, 1,
        (s, t) -> new StreamTableJoin(s, t, left, tableKey, by, joiner));
  }

  private void requireSameKey(DataType mine, DataType table) {
    if (!mine.equals(table)) {
      throw new IllegalArgumentException("the key is " + mine.simpleString() + ", table '" + input(1).id + "' has key "
          + table.simpleString() + "; change it with select_key or on=, for example F.cast(key, \""
          + table.simpleString() + "\")");
    }
  }
}
