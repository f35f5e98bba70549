package io.holdfast.kernel.nodes.joins;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.nodes.tables.TableCompiler;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Compiles the three nodes of a foreign-key join. */
public final class ForeignKeyCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(
      new Operator("fk_subscribe", ForeignKeyCompiler::new, Trait.CHANGES_KEY, Trait.NEEDS_EVERY_UPDATE),
      new Operator("fk_lookup", ForeignKeyCompiler::new, Trait.CHANGES_KEY, Trait.NEEDS_EVERY_UPDATE, Trait.NEEDS_KEY),
      new Operator("fk_join", ForeignKeyCompiler::new, Trait.NEEDS_KEY));

  public ForeignKeyCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    return switch (op) {
      case "fk_subscribe" -> subscribe();
      case "fk_lookup" -> lookup();
      default -> TableCompiler.latestValues(this, key(0), value(0));
    };
  }

  private boolean isLeft() {
    return node.get("how").asText().equals("left");
  }

  private NodeSpec subscribe() {
    BoundExpressions on = keyed(scope(), node.get("on"));
    if (on.usesMeta()) {
      throw new IllegalArgumentException("on= is evaluated again when the entry changes, when its record is not there any more;"
          + " take the metadata into the value before the table");
    }
    boolean left = isLeft();
    return stateless(on.type(0), ForeignKeySubscriber.type(key(0), value(0)), (s, t) -> new ForeignKeySubscriber(s, t, on, left));
  }

  private NodeSpec lookup() {
    DataType foreignKey = key(0);
    if (!foreignKey.equals(key(1))) {
      throw new IllegalArgumentException("on= is " + foreignKey.simpleString() + ", table '" + input(1).id + "' has key "
          + key(1).simpleString() + "; for example F.cast(..., \"" + key(1).simpleString() + "\")");
    }
    StructType subscriptionType = (StructType) value(0);
    DataType key = subscriptionType.apply(0).dataType();
    BoundExpressions joiner = joiner(key, subscriptionType.apply(1).dataType(), value(1));
    boolean left = isLeft();
    StoreSpec store = store();
    return stateful(key, joiner.type(0), 2, (s, t) -> new ForeignKeyLookup(s, t, subscriptionType, foreignKey, joiner, left, store));
  }
}
