package io.holdfast.kernel.nodes.aggregates;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundAggregate;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.nodes.DslScopes;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.nodes.folds.Cogroup;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.NativeFolds;
import io.holdfast.kernel.nodes.folds.PythonFolder;
import io.holdfast.kernel.nodes.folds.Top;
import io.holdfast.kernel.nodes.folds.TotalsFolder;
import io.holdfast.kernel.nodes.sessions.SessionCompiler;
import io.holdfast.kernel.nodes.tables.VersionedTable;
import io.holdfast.kernel.nodes.windows.RecordWindowCompiler;
import io.holdfast.kernel.nodes.windows.WindowCompiler;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.types.DataType;

/** Compiles aggregates: how the records of a group are folded, and what the groups are. */
public final class FoldCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(
      new Operator("count", FoldCompiler::new, Trait.NEEDS_KEY),
      new Operator("agg", FoldCompiler::new, Trait.NEEDS_KEY),
      new Operator("reduce", FoldCompiler::new, Trait.NEEDS_KEY),
      new Operator("aggregate", FoldCompiler::new, Trait.NEEDS_KEY),
      new Operator("cogroup", FoldCompiler::new, Trait.NEEDS_KEY),
      new Operator("top", FoldCompiler::new, Trait.NEEDS_KEY));

  private static final Set<String> GROUPED = Set.of("group_by", "group_by_key");
  /** Operations that process the changes of a table as they come, and never read it. */
  private static final Set<String> SEEING_CHANGES = Set.of("to", "to_stream", "print");

  public FoldCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    return folded(switch (op) {
      case "count" -> new NativeFolds.CountPlan();
      case "agg" -> agg();
      case "reduce" -> reduce();
      case "aggregate" -> aggregate();
      case "cogroup" -> cogroup();
      case "top" -> top();
      default -> throw new IllegalArgumentException("unknown operation '" + op + "'");
    });
  }

  /** For a grouped table: the rows without their keys. */
  @Override
  public DataType value(int i) {
    return isRegrouped(i) ? GroupRow.of(super.value(i)).value() : super.value(i);
  }

  private NodeSpec folded(Folder.Plan plan) {
    NodeSpec made = made(plan);
    made.remembered = plan.remembered();
    return plan.rehearses() ? ((FactoryNodeSpec) made).rehearsing() : made;
  }

  private NodeSpec made(Folder.Plan plan) {
    if (node.hasNonNull("window")) {
      return windowed(plan);
    }
    if (isRegrouped(0)) {
      return RegroupCompiler.aggregate(this, key(0), super.value(0), plan);
    }
    StoreSpec store = store();
    boolean read = readByOthers();
    if (versions() != null) {
      long retention = versions();
      return versioned(key(0), plan.value(), inputs(), (s, t) -> VersionedTable.folded(s, t, plan, retention, read));
    }
    return stateful(key(0), plan.value(), inputs(), (s, t) -> new AggregateTable(s, t, plan, store, read))
        .combining(seenAfterBatches() ? plan.combiner() : null);
  }

  private NodeSpec windowed(Folder.Plan plan) {
    String kind = node.get("window").path("kind").asText();
    if (RecordWindowCompiler.KINDS.contains(kind)) {
      return new RecordWindowCompiler(this, plan, inputs()).compile();
    }
    WindowCompiler windows = new WindowCompiler(this, inputs());
    return kind.equals(SessionCompiler.KIND) ? SessionCompiler.compile(windows, plan) : windows.compile(plan);
  }

  /** Whether records are only added to the table, and consumers see only its last value of a batch. */
  private boolean seenAfterBatches() {
    StoreSpec store = store();
    return inputs() == 1 && GROUPED.contains(json.get(node.get("inputs").get(0).asText()).get("op").asText())
        && !node.path("retracts").asBoolean() && !store.every() && store.ttl() == 0 && consumersSeeChanges();
  }

  private boolean consumersSeeChanges() {
    String id = node.get("id").asText();
    for (JsonNode other : json.values()) {
      for (JsonNode input : other.path("inputs")) {
        if (input.asText().equals(id) && !SEEING_CHANGES.contains(other.get("op").asText())) {
          return false;
        }
      }
    }
    return true;
  }

  private int inputs() {
    return node.get("inputs").size();
  }

  private Folder.Plan agg() {
    List<String> names = new ArrayList<>();
    List<JsonNode> fields = new ArrayList<>();
    node.get("fields").forEach(f -> {
      names.add(f.get(0).asText());
      fields.add(f.get(1));
    });
    BoundAggregate bound = Compiler.aggregate(scope(), names, fields);
    boolean exact = isRegrouped(0) && bound.totals() != null;
    return exact ? new TotalsFolder.TotalsPlan(bound.totals()) : new NativeFolds.AggregatePlan(bound);
  }

  private Folder.Plan reduce() {
    if (isPython(node.get("f"))) {
      return python(value(0), List.of(node.get("f")));
    }
    BoundExpressions subtract = node.hasNonNull("subtract") ? reducer(node.get("subtract")) : null;
    return new NativeFolds.ReducePlan(value(0), reducer(node.get("f")), subtract);
  }

  private BoundExpressions reducer(JsonNode expression) {
    return Compiler.fitted(DslScopes.reduce(key(0), value(0)), value(0), "the type of the values", expression);
  }

  private Folder.Plan aggregate() {
    DataType state = state();
    if (isPython(node.get("add"))) {
      return python(state, List.of(node.get("add")));
    }
    BoundExpressions subtract = node.hasNonNull("subtract") ? add(0, state, node.get("subtract")) : null;
    return new NativeFolds.FoldPlan(state, initial(state), add(0, state, node.get("add")), merge(state), subtract);
  }

  private Folder.Plan cogroup() {
    DataType state = state();
    for (int i = 0; i < inputs(); i++) {
      requireKey(i);
    }
    if (isPython(node.get("adds").get(0))) {
      List<JsonNode> functions = new ArrayList<>();
      node.get("adds").forEach(functions::add);
      return python(state, functions);
    }
    List<BoundExpressions> adds = new ArrayList<>();
    for (int i = 0; i < inputs(); i++) {
      adds.add(add(i, state, node.get("adds").get(i)));
    }
    return new Cogroup.CogroupPlan(state, initial(state), adds, merge(state));
  }

  private static boolean isPython(JsonNode function) {
    return function.has("python");
  }

  /** A fold of which all functions run in Python. */
  private Folder.Plan python(DataType state, List<JsonNode> adds) {
    List<JsonNode> all = new ArrayList<>(adds);
    List.of("merge", "subtract").forEach(name -> all.add(node.path(name)));
    boolean keyed = all.stream().anyMatch(f -> f.path("takes").path(0).asText().equals("key"));
    List<DataType> values = IntStream.range(0, inputs()).mapToObj(this::value).toList();
    String name = node.get("id").asText();
    return new PythonFolder.Plan(python(name), state, keyed ? key(0) : null, values, node.hasNonNull("subtract"));
  }

  private void requireKey(int i) {
    if (!key(i).equals(key(0))) {
      throw new IllegalArgumentException("the groups must have the same key; the first has " + key(0).simpleString() + ", number "
          + (i + 1) + " has " + key(i).simpleString() + "; group by something of that type, for example F.cast(key, \""
          + key(0).simpleString() + "\")");
    }
  }

  /** The type of the states: that of the initial state, or wider if the functions return a wider one. */
  private DataType state() {
    DataType first = node.hasNonNull("state")
        ? NullableType.of(TypeJson.of(node.get("state")))
        : KeyTypes.of(Compiler.bind(Scope.of(), node.get("initial")).type(0));
    return new StateType(first, DeclaredParts.of(node.path("declared"))).settled(this::made);
  }

  /** What the functions return for a state, before it is cast to a state; those in Python return what they declare. */
  private Map<String, DataType> made(DataType state) {
    Map<String, DataType> out = new LinkedHashMap<>();
    for (int i = 0; i < node.path("adds").size(); i++) {
      made(out, "the add function of group " + (i + 1), addScope(i, state), node.get("adds").get(i));
    }
    made(out, "add", addScope(0, state), node.path("add"));
    made(out, "subtract", addScope(0, state), node.path("subtract"));
    made(out, "merge", mergeScope(state), node.path("merge"));
    return out;
  }

  private static void made(Map<String, DataType> out, String name, Scope scope, JsonNode function) {
    if (function.isObject() && !isPython(function)) {
      out.put(name, Compiler.bind(scope, function).type(0));
    }
  }

  private Scope addScope(int input, DataType state) {
    return DslScopes.aggregate(key(input), state, value(input));
  }

  private Scope mergeScope(DataType state) {
    return DslScopes.join(key(0), state, state);
  }

  private BoundExpressions initial(DataType state) {
    return Compiler.bind(Scope.of(), new DataType[] {state}, node.get("initial"));
  }

  private BoundExpressions add(int input, DataType state, JsonNode expression) {
    return Compiler.fitted(addScope(input, state), state, "the state", expression);
  }

  /** Merges two states when two groups become one. */
  private BoundExpressions merge(DataType state) {
    return node.hasNonNull("merge")
        ? Compiler.fitted(mergeScope(state), state, "the state", node.get("merge"))
        : null;
  }

  private Folder.Plan top() {
    int n = node.get("n").asInt();
    BoundExpressions ranks = node.hasNonNull("distinct")
        ? Compiler.bind(scope(), node.get("by"), node.get("distinct"))
        : Compiler.bind(scope(), node.get("by"));
    if (!RowOrdering.isOrderable(ranks.type(0))) {
      throw new IllegalArgumentException("by= must be something with an order, it is " + ranks.type(0).simpleString());
    }
    return new Top.TopPlan(n, ranks, value(0));
  }
}
