package io.holdfast.kernel.nodes.tables;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.PythonFolder;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Compiles tables and views of them. */
public final class TableCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(
      new Operator("to_table", TableCompiler::new, Trait.NEEDS_KEY),
      new Operator("table_copy", TableCompiler::new, Trait.NEEDS_KEY, Trait.NEEDS_EVERY_UPDATE),
      new Operator("table_filter", TableCompiler::new, Trait.VIEW, Trait.READ_THROUGH),
      new Operator("table_map_values", TableCompiler::new, Trait.VIEW, Trait.READ_THROUGH));

  public TableCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    return switch (op) {
      case "to_table", "table_copy" -> latestValues(this, key(0), value(0));
      case "table_filter", "table_map_values" -> view();
      default -> throw new IllegalArgumentException("unknown operation '" + op + "'");
    };
  }

  /** The last value per key, of whichever node. */
  public static NodeSpec latestValues(NodeCompiler of, DataType key, DataType value) {
    StoreSpec store = of.store();
    boolean read = of.readByOthers();
    boolean global = of.node.path("kind").asText().equals("global");
    if (of.versions() != null) {
      long retention = of.versions();
      return of.versioned(key, value, 1, (s, t) -> VersionedTable.latest(s, t, retention, read));
    }
    return of.stateful(key, value, 1, (s, t) -> new LatestValueTable(s, t, store, value, read, global));
  }

  /** A table that is filtered or mapped in Python. */
  private NodeSpec python(boolean filter, JsonNode function) {
    DataType result = filter ? value(0) : NullableType.of(TypeJson.of(function.get("returns")));
    boolean keyed = function.get("takes").get(0).asText().equals("key");
    Folder.Plan plan = new PythonFolder.Plan(
        python(node.get("id").asText()), result, keyed ? key(0) : null, List.of(value(0)), false);
    StoreSpec store = store();
    boolean read = readByOthers();
    if (versions() != null) {
      long retention = versions();
      return ((FactoryNodeSpec) versioned(key(0), result, 1, (s, t) -> VersionedTable.mapped(s, t, plan, retention, read))).rehearsing();
    }
    return stateful(key(0), result, 1, (s, t) -> new MappedTable(s, t, plan, filter, store, read)).rehearsing();
  }

  private NodeSpec view() {
    boolean filter = op.equals("table_filter");
    JsonNode given = node.get(filter ? "predicate" : "value");
    if (given.has("python")) {
      return python(filter, given);
    }
    BoundExpressions bound = filter ? predicate(node.get("predicate")) : Compiler.bind(scope(), node.get("value"));
    DataType value = filter ? value(0) : bound.type(0);
    StoreSpec store = store();
    if (store == null && bound.usesMeta()) {
      throw new IllegalArgumentException("a table without a store is computed again whenever it is read, when its record"
          + " is not there any more; use map_values(..., store=...), or take the metadata into the value before the table");
    }
    boolean under = isVersioned(input(0).id);
    if (store == null) {
      boolean every = emitsEveryUpdate();
      return stateless(key(0), value, (s, t) -> new TableView(s, t, bound, filter, every, under));
    }
    boolean read = readByOthers();
    if (versions() != null) {
      long retention = versions();
      return versioned(key(0), value, 1, (s, t) -> VersionedTable.view(s, t, bound, filter, retention, read));
    }
    return stateful(key(0), value, 1, (s, t) -> new MaterializedView(s, t, bound, filter, under, store, read));
  }
}
