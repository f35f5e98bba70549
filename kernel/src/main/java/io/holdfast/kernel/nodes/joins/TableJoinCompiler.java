package io.holdfast.kernel.nodes.joins;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;

/** Compiles table-table joins by key. */
public final class TableJoinCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("table_join", TableJoinCompiler::new, Trait.NEEDS_EVERY_UPDATE));

  public TableJoinCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    if (!key(0).equals(key(1))) {
      throw new IllegalArgumentException("the key is " + key(0).simpleString() + ", table '" + input(1).id + "' has key "
          + key(1).simpleString() + "; say what refers to it: on=lambda v: ...");
    }
    BoundExpressions joiner = joiner(key(0), value(0), value(1));
    String how = node.get("how").asText();
    TableJoinRules.How sides = new TableJoinRules.How(!how.equals("inner"), how.equals("outer"), joiner);
    StoreSpec store = store();
    if (store == null) {
      return view(sides);
    }
    boolean read = readByOthers();
    return stateful(key(0), joiner.type(0), 2, (s, t) -> new MaterializedTableJoin(s, t, sides, store, read));
  }

  private NodeSpec view(TableJoinRules.How sides) {
    if (sides.joiner().usesMeta()) {
      throw new IllegalArgumentException("a table without a store is computed again whenever it is read, when its record"
          + " is not there any more; use join(..., store=...), or take the metadata into the value before the table");
    }
    boolean every = emitsEveryUpdate();
    return stateless(key(0), sides.joiner().type(0), (s, t) -> new TableJoinView(s, t, sides, every));
  }
}
