package io.holdfast.kernel.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.task.Combiner;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.PythonFunction;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;

/** Compiles one node of the plan document: binds its expressions, derives its types, and returns the spec that makes the running node. */
public abstract class NodeCompiler {
  public final JsonNode node;
  protected final String op;
  private final PlanNodes plan;
  private final Map<String, NodeSpec> specs;
  /** All nodes of the plan document by id. */
  protected final Map<String, JsonNode> json;

  protected NodeCompiler(JsonNode node, PlanNodes plan) {
    this.node = node;
    this.plan = plan;
    this.specs = plan.specs();
    this.json = plan.json();
    this.op = node.get("op").asText();
  }

  public abstract NodeSpec compile();

  /** Makes the running node of a spec. */
  public interface NodeFactory extends java.io.Serializable {
    Node open(NodeSpec spec, Task task);
  }

  /** A spec whose running node is made by a {@link NodeFactory}. */
  public static final class FactoryNodeSpec extends NodeSpec {
    private final NodeFactory opener;
    private final StoreSpec store;
    private final List<StoreSpec> parts;
    private final int recordInputs;
    private Combiner.Plan combiner;
    private boolean rehearses;

    public FactoryNodeSpec(Head head, DataType key, DataType value, StoreSpec store, int recordInputs, NodeFactory opener) {
      this(head, key, value, store, List.of(), recordInputs, opener);
    }

    public FactoryNodeSpec(Head head, DataType key, DataType value, StoreSpec store, List<StoreSpec> parts, int recordInputs, NodeFactory opener) {
      super(head);
      this.key = key;
      this.value = value;
      this.store = store;
      this.parts = List.copyOf(parts);
      this.recordInputs = recordInputs;
      this.opener = opener;
    }

    @Override
    public StoreSpec store() {
      return store;
    }

    @Override
    public List<StoreSpec> stores() {
      List<StoreSpec> all = new ArrayList<>(super.stores());
      all.addAll(parts);
      return all;
    }

    /** The same, and records may be combined before the exchange to it. */
    public FactoryNodeSpec combining(Combiner.Plan how) {
      combiner = how;
      return this;
    }

    @Override
    public Combiner.Plan combiner() {
      return combiner;
    }

    /** The same, and it must rehearse its batches. */
    public FactoryNodeSpec rehearsing() {
      rehearses = true;
      return this;
    }

    @Override
    public boolean rehearses() {
      return rehearses;
    }

    @Override
    public int recordInputs() {
      return recordInputs;
    }

    @Override
    public Node open(Task task) {
      return opener.open(this, task);
    }
  }

  /** A Python function of this node. */
  public PythonFunction python(String name) {
    String title = node.path("titles").path(name).asText(name);
    return new PythonFunction(name, title, Base64.getDecoder().decode(node.path("code").path(name).asText("")));
  }

  public NodeSpec input(int i) {
    return specs.get(node.get("inputs").get(i).asText());
  }

  public DataType key(int i) {
    return input(i).key;
  }

  public DataType value(int i) {
    return input(i).value;
  }

  /** Whether the input is a grouped table, whose rows may be retracted. */
  public boolean isRegrouped(int i) {
    return json.get(input(i).id).get("op").asText().equals("table_group_by");
  }

  public NodeSpec.Head head() {
    List<String> inputs = new ArrayList<>();
    node.path("inputs").forEach(i -> inputs.add(i.asText()));
    return new NodeSpec.Head(node.get("id").asText(), node.path("at").asText(""), node.path("place").asInt(-1), inputs);
  }

  public NodeSpec stateless(DataType key, DataType value, NodeFactory opener) {
    return new FactoryNodeSpec(head(), key, value, null, node.path("inputs").size(), opener);
  }

  public FactoryNodeSpec stateful(DataType key, DataType value, int recordInputs, NodeFactory opener) {
    return stateful(key, value, recordInputs, List.of(), opener);
  }

  /** A node that needs further stores, named as parts of its own. */
  public FactoryNodeSpec stateful(DataType key, DataType value, int recordInputs, List<String> parts, NodeFactory opener) {
    StoreSpec store = store();
    List<StoreSpec> all = new ArrayList<>(parts.stream().map(store::part).toList());
    if (store.ttl() > 0) {
      all.add(store.part("time"));
    }
    return new FactoryNodeSpec(head(), key, value, store, all, recordInputs, opener);
  }

  public StoreSpec store() {
    JsonNode s = node.get("store");
    if (s == null || s.isNull()) {
      return null;
    }
    String changelog = s.hasNonNull("changelog") ? s.get("changelog").asText() : null;
    String name = s.hasNonNull("name") ? s.get("name").asText() : null;
    return new StoreSpec(
        name, s.get("state").asText(), s.path("emit").asText().equals("every"), changelog, s.path("ttl").asLong(0));
  }

  /** For how long the versions of the table's values are kept, or null. */
  public Long versions() {
    JsonNode versioned = node.path("store").path("versioned");
    return versioned.isNumber() ? versioned.asLong() : null;
  }

  /** A table that keeps versions. */
  public NodeSpec versioned(DataType key, DataType value, int recordInputs, NodeFactory opener) {
    return stateful(key, value, recordInputs, List.of(StoreSpec.VERSIONS), opener);
  }

  /** Whether a table keeps versions, or shows those of the table under it. */
  public boolean isVersioned(String id) {
    JsonNode table = json.get(id);
    if (table.path("store").isObject()) {
      return table.get("store").path("versioned").isNumber();
    }
    return plan.operator(table).has(Operator.Trait.VIEW) && isVersioned(table.get("inputs").get(0).asText());
  }

  /** Whether a join looks into this table, itself or through a view of it. */
  public boolean readByOthers() {
    return isRead(node.get("id").asText());
  }

  private boolean isRead(String id) {
    return json.values().stream().anyMatch(other -> readsAsTable(other, id)
        || plan.operator(other).has(Operator.Trait.READ_THROUGH) && input(other, 0).equals(id) && isRead(other.get("id").asText()));
  }

  private static boolean readsAsTable(JsonNode other, String id) {
    return switch (other.get("op").asText()) {
      case "join", "fk_lookup" -> input(other, 1).equals(id);
      case "table_join" -> input(other, 0).equals(id) || input(other, 1).equals(id);
      default -> false;
    };
  }

  private static String input(JsonNode of, int i) {
    return of.path("inputs").path(i).asText();
  }

  /** Whether this table emits every update; one without a store does so if a table under it does. */
  public boolean emitsEveryUpdate() {
    return emitsEveryUpdate(node);
  }

  private boolean emitsEveryUpdate(JsonNode table) {
    // A copy gets every update; what is derived from it emits what its table emits.
    if (table.hasNonNull("store") && !table.get("op").asText().equals("table_copy")) {
      return table.get("store").path("emit").asText().equals("every");
    }
    for (JsonNode under : table.path("inputs")) {
      if (emitsEveryUpdate(json.get(under.asText()))) {
        return true;
      }
    }
    return false;
  }

  public Scope scope() {
    return DslScopes.record(key(0), value(0));
  }

  /** The joiner of a join; by default the fields of both sides. */
  public BoundExpressions joiner(DataType key, DataType left, DataType right) {
    return Compiler.bind(
        DslScopes.join(key, left, right), node.hasNonNull("joiner") ? node.get("joiner") : DefaultJoiner.ofBoth(left, right));
  }

  public BoundExpressions predicate(JsonNode expression) {
    return wantBoolean(Compiler.bind(scope(), expression), 0);
  }

  public BoundExpressions wantBoolean(BoundExpressions bound, int i) {
    if (!(bound.type(i) instanceof BooleanType)) {
      throw new IllegalArgumentException(
          "the predicate must be a boolean, it is " + bound.type(i).simpleString() + "; compare it with something");
    }
    return bound;
  }

  /** Key expressions come first and as the type that keys have. */
  public static BoundExpressions keyed(Scope scope, JsonNode... expressions) {
    BoundExpressions raw = Compiler.bind(scope, expressions);
    DataType[] wanted = new DataType[expressions.length];
    DataType key = KeyTypes.of(raw.type(0));
    if (key.equals(raw.type(0))) {
      return raw.forKey();
    }
    wanted[0] = key;
    return Compiler.bind(scope, wanted, expressions).forKey();
  }
}
