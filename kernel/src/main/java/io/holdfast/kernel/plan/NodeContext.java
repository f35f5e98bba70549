package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.Scopes;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;

/** One node of the plan document with what is known around it; subclasses resolve it. */
abstract class NodeContext {
  protected final JsonNode node;
  protected final String op;
  private final Map<String, Spec> specs;
  private final Map<String, JsonNode> json;

  NodeContext(JsonNode node, Map<String, Spec> specs, Map<String, JsonNode> json) {
    this.node = node;
    this.specs = specs;
    this.json = json;
    this.op = node.get("op").asText();
  }

  abstract Spec compile();

  /** How a runtime node is made of its spec. */
  interface Opener extends java.io.Serializable {
    Node open(Spec spec, Task task);
  }

  /** A spec whose runtime node is made by a function. */
  static final class OpenedSpec extends Spec {
    private final Opener opener;
    private final StoreSpec store;
    private final List<StoreSpec> parts;
    private final int recordInputs;

    OpenedSpec(Head head, DataType key, DataType value, StoreSpec store, int recordInputs, Opener opener) {
      this(head, key, value, store, List.of(), recordInputs, opener);
    }

    OpenedSpec(Head head, DataType key, DataType value, StoreSpec store, List<StoreSpec> parts, int recordInputs, Opener opener) {
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

    @Override
    public int recordInputs() {
      return recordInputs;
    }

    @Override
    public Node open(Task task) {
      return opener.open(this, task);
    }
  }

  Spec input(int i) {
    return specs.get(node.get("inputs").get(i).asText());
  }

  DataType key(int i) {
    return input(i).key;
  }

  DataType value(int i) {
    return input(i).value;
  }

  Spec.Head head() {
    List<String> inputs = new ArrayList<>();
    node.path("inputs").forEach(i -> inputs.add(i.asText()));
    return new Spec.Head(node.get("id").asText(), node.path("at").asText(""), node.path("place").asInt(-1), inputs);
  }

  Spec stateless(DataType key, DataType value, Opener opener) {
    return new OpenedSpec(head(), key, value, null, node.path("inputs").size(), opener);
  }

  Spec stateful(DataType key, DataType value, int recordInputs, Opener opener) {
    return new OpenedSpec(head(), key, value, store(), recordInputs, opener);
  }

  /** A node that needs further stores, named as parts of its own. */
  Spec stateful(DataType key, DataType value, int recordInputs, List<String> parts, Opener opener) {
    StoreSpec store = store();
    return new OpenedSpec(head(), key, value, store, parts.stream().map(store::part).toList(), recordInputs, opener);
  }

  StoreSpec store() {
    JsonNode s = node.get("store");
    if (s == null || s.isNull()) {
      return null;
    }
    String changelog = s.hasNonNull("changelog") ? s.get("changelog").asText() : null;
    String name = s.hasNonNull("name") ? s.get("name").asText() : null;
    return new StoreSpec(name, s.get("state").asText(), s.path("emit").asText().equals("every"), changelog);
  }

  /** Whether a join looks into this table, itself or through a view of it. */
  boolean readByOthers() {
    return isRead(node.get("id").asText());
  }

  private boolean isRead(String id) {
    for (JsonNode other : json.values()) {
      JsonNode inputs = other.path("inputs");
      String otherOp = other.get("op").asText();
      boolean looksUp = otherOp.equals("join") && inputs.get(1).asText().equals(id);
      boolean shows = otherOp.startsWith("table_") && inputs.get(0).asText().equals(id) && !otherOp.equals("table_copy");
      if (looksUp || shows && isRead(other.get("id").asText())) {
        return true;
      }
    }
    return false;
  }

  Scope scope() {
    return Scopes.record(key(0), value(0));
  }

  Bound predicate(JsonNode expression) {
    return wantBoolean(Compiler.bind(scope(), expression), 0);
  }

  Bound wantBoolean(Bound bound, int i) {
    if (!(bound.type(i) instanceof BooleanType)) {
      throw new IllegalArgumentException(
          "the predicate must be a boolean, it is " + bound.type(i).simpleString() + "; compare it with something");
    }
    return bound;
  }

  /** Key expressions come first and as the type that keys have. */
  static Bound keyed(Scope scope, JsonNode... expressions) {
    Bound raw = Compiler.bind(scope, expressions);
    DataType[] wanted = new DataType[expressions.length];
    DataType key = KeyTypes.of(raw.type(0));
    if (key.equals(raw.type(0))) {
      return raw.forKey();
    }
    wanted[0] = key;
    return Compiler.bind(scope, wanted, expressions).forKey();
  }
}
