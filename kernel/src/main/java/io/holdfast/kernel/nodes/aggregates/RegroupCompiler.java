package io.holdfast.kernel.nodes.aggregates;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Compiles grouped tables, and the aggregates over them. */
public final class RegroupCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("table_group_by", RegroupCompiler::new, Trait.CHANGES_KEY, Trait.NEEDS_EVERY_UPDATE));

  public RegroupCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    BoundExpressions group = keyed(scope(), node.get("key"));
    refuseMeta(group.usesMeta());
    GroupRow rows = new GroupRow(key(0), value(0));
    return stateless(group.type(0), rows.type(), (s, t) -> new Regroup(s, t, group, rows));
  }

  /** An aggregate of a table's rows. */
  static NodeSpec aggregate(NodeCompiler of, DataType key, DataType pair, Folder.Plan plan) {
    refuseMeta(plan.usesMeta());
    StoreSpec store = of.store();
    boolean read = of.readByOthers();
    GroupRow rows = GroupRow.of(pair);
    if (plan.subtracts()) {
      return of.stateful(key, plan.value(), 1, (s, t) -> new RetractingAggregate(s, t, plan, rows, store, read));
    }
    return of.stateful(key, plan.value(), 1, List.of("rows"), (s, t) -> new RecomputingAggregate(s, t, plan, rows, store, read));
  }

  private static void refuseMeta(boolean used) {
    if (used) {
      throw new IllegalArgumentException("a row is retracted when its record is not there any more; take the metadata into the value"
          + " before the table: map_values(lambda v: dict(v, at=hf.timestamp()))");
    }
  }
}
