package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.expr.BoundAggregate;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.nodes.Aggregates;
import io.holdfast.kernel.nodes.FlatMap;
import io.holdfast.kernel.nodes.KeptView;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.PlainTable;
import io.holdfast.kernel.nodes.Print;
import io.holdfast.kernel.nodes.Scopes;
import io.holdfast.kernel.nodes.Stateless;
import io.holdfast.kernel.nodes.TableJoin;
import io.holdfast.kernel.nodes.TableView;
import io.holdfast.kernel.nodes.To;
import io.holdfast.kernel.nodes.Top;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.serde.Types;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** Resolves one node of the plan document. */
final class NodeCompiler {
  private final JsonNode node;
  private final Map<String, Spec> specs;
  private final Map<String, JsonNode> json;
  private final String op;

  NodeCompiler(JsonNode node, Map<String, Spec> specs, Map<String, JsonNode> json) {
    this.node = node;
    this.specs = specs;
    this.json = json;
    this.op = node.get("op").asText();
  }

  /** How a runtime node is made of its spec. */
  private interface Opener extends java.io.Serializable {
    Node open(Spec spec, Task task);
  }

  /** A spec whose runtime node is made by a function. */
  private static final class OpenedSpec extends Spec {
    private final Opener opener;
    private final StoreSpec store;
    private final int recordInputs;

    OpenedSpec(Head head, DataType key, DataType value, StoreSpec store, int recordInputs, Opener opener) {
      super(head);
      this.key = key;
      this.value = value;
      this.store = store;
      this.recordInputs = recordInputs;
      this.opener = opener;
    }

    @Override
    public StoreSpec store() {
      return store;
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

  Spec compile() {
    return switch (op) {
      case "source" -> sourceNode();
      case "dataframe" -> dataFrame();
      case "filter", "filter_not" -> filter();
      case "require" -> require();
      case "map" -> mapBoth();
      case "map_values" -> mapValues();
      case "select_key", "group_by" -> selectKey();
      case "flat_map" -> flatMap();
      case "flat_map_values" -> flatMapValues();
      case "split" -> split();
      case "branch" -> branch();
      case "merge" -> merge();
      case "group_by_key", "repartition", "to_stream" -> stateless(key(0), value(0), (s, t) -> new Stateless.Pass(s));
      case "print" -> print();
      case "to" -> to();
      case "to_table", "table_copy" -> table(key(0), value(0));
      case "join" -> join();
      case "count" -> count();
      case "agg" -> agg();
      case "reduce" -> reduce();
      case "aggregate" -> aggregate();
      case "top" -> top();
      case "table_filter", "table_map_values" -> view();
      default -> throw new IllegalArgumentException("unknown operation '" + op + "'");
    };
  }

  private Spec input(int i) {
    return specs.get(node.get("inputs").get(i).asText());
  }

  private DataType key(int i) {
    return input(i).key;
  }

  private DataType value(int i) {
    return input(i).value;
  }

  private Spec.Head head() {
    List<String> inputs = new ArrayList<>();
    node.path("inputs").forEach(i -> inputs.add(i.asText()));
    return new Spec.Head(node.get("id").asText(), node.path("at").asText(""), node.path("place").asInt(-1), inputs);
  }

  private Spec stateless(DataType key, DataType value, Opener opener) {
    return new OpenedSpec(head(), key, value, null, node.path("inputs").size(), opener);
  }

  private Spec stateful(DataType key, DataType value, int recordInputs, Opener opener) {
    return new OpenedSpec(head(), key, value, store(), recordInputs, opener);
  }

  private StoreSpec store() {
    JsonNode s = node.get("store");
    if (s == null || s.isNull()) {
      return null;
    }
    String changelog = s.hasNonNull("changelog") ? s.get("changelog").asText() : null;
    String name = s.hasNonNull("name") ? s.get("name").asText() : null;
    return new StoreSpec(name, s.get("state").asText(), s.path("emit").asText().equals("every"), changelog);
  }

  /** Whether a join looks into this table, itself or through a view of it. */
  private boolean readByOthers() {
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

  private Scope scope() {
    return Scopes.record(key(0), value(0));
  }

  private Bound predicate(JsonNode expression) {
    return wantBoolean(Compiler.bind(scope(), expression), 0);
  }

  private Bound wantBoolean(Bound bound, int i) {
    if (!(bound.type(i) instanceof BooleanType)) {
      throw new IllegalArgumentException(
          "the predicate must be a boolean, it is " + bound.type(i).simpleString() + "; compare it with something");
    }
    return bound;
  }

  private Spec sourceNode() {
    DataType key = KeyTypes.of(PlainType.of(Serdes.of(node.get("key")).type()));
    DataType value = PlainType.of(Serdes.of(node.get("value")).type());
    if (node.get("kind").asText().equals("stream")) {
      return stateless(key, value, (s, t) -> new Stateless.Pass(s));
    }
    return table(key, value);
  }

  private Spec table(DataType key, DataType value) {
    StoreSpec store = store();
    boolean read = readByOthers();
    boolean global = node.path("kind").asText().equals("global");
    return stateful(key, value, 1, (s, t) -> new PlainTable(s, t, store, value, read, global));
  }

  SourceSpec source(String appOnError) {
    Serde key = Serdes.of(node.get("key"));
    Serde value = Serdes.of(node.get("value"));
    JsonNode time = node.path("timestamp");
    String from = time.path("from").asText("record");
    Bound bound = from.equals("expr") ? Compiler.bind(Scopes.record(key.type(), value.type()), time.get("expr")) : null;
    DataType type = bound == null ? null : bound.type(0);
    if (type != null && !EventTime.isPossible(type)) {
      throw new IllegalArgumentException("timestamp= must be a time, a number of milliseconds or ISO 8601 text, it is "
          + type.simpleString());
    }
    String onError = node.hasNonNull("on_error") ? node.get("on_error").asText() : appOnError;
    return new SourceSpec(node.get("id").asText(), node.path("at").asText(""), node.get("kind").asText(), key, null, value, bound,
        type, time.path("timezone").asText("UTC"), from.equals("wall"), onError.equals("fail"));
  }

  /** A DataFrame's rows arrive as JSON; who starts the query has written their type into the plan. */
  private Spec dataFrame() {
    SourceSpec source = frameSource("");
    DataType key = source.keyed() == null ? DataTypes.BinaryType : source.keyed().type(0);
    return stateless(key, source.value().type().asNullable(), (s, t) -> new Stateless.Pass(s));
  }

  SourceSpec frameSource(String appOnError) {
    if (!node.hasNonNull("schema")) {
      throw new IllegalArgumentException("the columns of a DataFrame are known only when the app is started");
    }
    Serde value = Serdes.json(Types.of(node.get("schema")).asNullable());
    Scope scope = Scopes.record(DataTypes.BinaryType, value.type());
    Bound key = node.hasNonNull("key") ? keyed(scope, node.get("key")) : null;
    Bound time = node.hasNonNull("timestamp") ? Compiler.bind(scope, node.get("timestamp")) : null;
    return new SourceSpec(node.get("id").asText(), node.path("at").asText(""), "stream",
        Serdes.defaultFor(DataTypes.BinaryType), key, value, time, time == null ? null : time.type(0), "UTC", false,
        appOnError.equals("fail"));
  }

  private Spec filter() {
    Bound predicate = predicate(node.get("predicate"));
    boolean wanted = op.equals("filter");
    return stateless(key(0), value(0), (s, t) -> new Stateless.Filter(s, t, predicate, wanted));
  }

  private Spec require() {
    Bound predicate = predicate(node.get("predicate"));
    String reason = node.get("reason").asText();
    return stateless(key(0), value(0), (s, t) -> new Stateless.Require(s, t, predicate, reason));
  }

  private Spec mapValues() {
    Bound value = Compiler.bind(scope(), node.get("value"));
    return stateless(key(0), value.type(0), (s, t) -> new Stateless.MapValues(s, t, value));
  }

  private Spec selectKey() {
    Bound key = keyed(scope(), node.get("key"));
    return stateless(key.type(0), value(0), (s, t) -> new Stateless.SelectKey(s, t, key));
  }

  /** Key expressions come first and as the type that keys have. */
  private static Bound keyed(Scope scope, JsonNode... expressions) {
    Bound raw = Compiler.bind(scope, expressions);
    DataType[] wanted = new DataType[expressions.length];
    DataType key = KeyTypes.of(raw.type(0));
    if (key.equals(raw.type(0))) {
      return raw.forKey();
    }
    wanted[0] = key;
    return Compiler.bind(scope, wanted, expressions).forKey();
  }

  private Spec mapBoth() {
    Bound both = keyed(scope(), node.get("key"), node.get("value"));
    return stateless(both.type(0), both.type(1), (s, t) -> new Stateless.MapBoth(s, t, both));
  }

  private Spec flatMap() {
    Bound items = Compiler.bind(scope(), node.get("items"));
    if (!(items.type(0) instanceof ArrayType a) || !(a.elementType() instanceof StructType pair) || pair.size() != 2) {
      throw new IllegalArgumentException(
          "flat_map needs an array of (key, value) pairs, it is " + items.type(0).simpleString());
    }
    DataType key = pair.fields()[0].dataType();
    DataType value = pair.fields()[1].dataType();
    return stateless(KeyTypes.of(key), value, (s, t) -> new FlatMap(s, t, items, pair, key, value));
  }

  private Spec flatMapValues() {
    Bound items = Compiler.bind(scope(), node.get("items"));
    if (!(items.type(0) instanceof ArrayType a)) {
      throw new IllegalArgumentException("flat_map_values needs an array, it is " + items.type(0).simpleString());
    }
    DataType element = a.elementType();
    return stateless(key(0), element, (s, t) -> new FlatMap(s, t, items, element, null, null));
  }

  private Spec split() {
    List<JsonNode> predicates = new ArrayList<>();
    node.get("branches").forEach(b -> predicates.add(b.get("predicate")));
    Bound bound = Compiler.bind(scope(), predicates.toArray(new JsonNode[0]));
    for (int i = 0; i < bound.size(); i++) {
      wantBoolean(bound, i);
    }
    return stateless(key(0), value(0), (s, t) -> new Stateless.Split(s, t, bound));
  }

  private Spec branch() {
    int index = node.get("index").asInt();
    return stateless(key(0), value(0), (s, t) -> new Stateless.Branch(s, index));
  }

  private Spec merge() {
    for (int i = 1; i < node.get("inputs").size(); i++) {
      if (!key(i).equals(key(0)) || !value(i).equals(value(0))) {
        throw new IllegalArgumentException("merge needs streams of one type: " + input(0).id + " has "
            + key(0).simpleString() + " -> " + value(0).simpleString() + ", " + input(i).id + " has "
            + key(i).simpleString() + " -> " + value(i).simpleString());
      }
    }
    return stateless(key(0), value(0), (s, t) -> new Stateless.Pass(s));
  }

  private Spec print() {
    String label = node.path("label").asText("");
    return stateless(key(0), value(0), (s, t) -> new Print(s, label.isEmpty() ? s.inputs.get(0) : label));
  }

  private Spec to() {
    boolean fixed = node.get("topic").isTextual();
    Bound topic = fixed ? null : Compiler.bind(scope(), node.get("topic"));
    if (topic != null && !(topic.type(0) instanceof StringType)) {
      throw new IllegalArgumentException("the topic must be text, it is " + topic.type(0).simpleString());
    }
    Bound headers = node.hasNonNull("headers") ? Compiler.bind(scope(), node.get("headers")) : null;
    boolean text = headers != null && headers.type(0) instanceof MapType m && m.valueType() instanceof StringType;
    To.Target target = new To.Target(fixed ? node.get("topic").asText() : null, topic,
        serde("key", key(0)), serde("value", value(0)), headers, text);
    return stateless(key(0), value(0), (s, t) -> new To(s, t, target));
  }

  private Serde serde(String which, DataType type) {
    return node.hasNonNull(which) ? OutputSerdes.of(node.get(which), type) : Serdes.defaultFor(type);
  }

  private Spec join() {
    boolean left = node.get("left").asBoolean();
    DataType tableKey = key(1);
    Bound on = null;
    if (node.hasNonNull("on")) {
      Bound raw = keyed(scope(), node.get("on"));
      on = raw;
      requireSameKey(raw.type(0), tableKey);
    } else {
      requireSameKey(key(0), tableKey);
    }
    Scope scope = Scopes.join(key(0), value(0), value(1));
    Bound joiner = Compiler.bind(scope, node.hasNonNull("joiner") ? node.get("joiner") : Joiners.ofBoth(value(0), value(1)));
    Bound by = on;
    return new OpenedSpec(head(), key(0), joiner.type(0), null, 1,
        (s, t) -> new TableJoin(s, t, left, tableKey, by, joiner));
  }

  private void requireSameKey(DataType mine, DataType table) {
    if (!mine.equals(table)) {
      throw new IllegalArgumentException("the key is " + mine.simpleString() + ", table '" + input(1).id + "' has key "
          + table.simpleString() + "; change it with select_key or on=, for example F.cast(key, \""
          + table.simpleString() + "\")");
    }
  }

  private Spec count() {
    StoreSpec store = store();
    boolean read = readByOthers();
    return stateful(key(0), DataTypes.LongType, 1, (s, t) -> new Aggregates.Count(s, t, store, read));
  }

  private Spec agg() {
    List<String> names = new ArrayList<>();
    List<JsonNode> fields = new ArrayList<>();
    node.get("fields").forEach(f -> {
      names.add(f.get(0).asText());
      fields.add(f.get(1));
    });
    BoundAggregate bound = Compiler.aggregate(scope(), names, fields);
    StoreSpec store = store();
    boolean read = readByOthers();
    return stateful(key(0), bound.type(), 1, (s, t) -> new Aggregates.Functions(s, t, bound, store, read));
  }

  private Spec reduce() {
    DataType value = value(0);
    Bound reducer = Compiler.bind(Scopes.reduce(key(0), value), new DataType[] {value}, node.get("f"));
    StoreSpec store = store();
    boolean read = readByOthers();
    return stateful(key(0), value, 1, (s, t) -> new Aggregates.Reduce(s, t, reducer, store, read));
  }

  private Spec aggregate() {
    Scope nothing = Scope.of();
    DataType state = node.hasNonNull("state")
        ? PlainType.of(Types.of(node.get("state")))
        : KeyTypes.of(Compiler.bind(nothing, node.get("initial")).type(0));
    Bound initial = Compiler.bind(nothing, new DataType[] {state}, node.get("initial"));
    Bound add = Compiler.bind(Scopes.aggregate(key(0), state, value(0)), new DataType[] {state}, node.get("add"));
    StoreSpec store = store();
    boolean read = readByOthers();
    return stateful(key(0), state, 1, (s, t) -> new Aggregates.Fold(s, t, Constants.of(initial), add, store, read));
  }

  private Spec top() {
    int n = node.get("n").asInt();
    Bound ranks = node.hasNonNull("distinct")
        ? Compiler.bind(scope(), node.get("by"), node.get("distinct"))
        : Compiler.bind(scope(), node.get("by"));
    if (!RowOrdering.isOrderable(ranks.type(0))) {
      throw new IllegalArgumentException("by= must be something with an order, it is " + ranks.type(0).simpleString());
    }
    DataType value = value(0);
    StoreSpec store = store();
    boolean read = readByOthers();
    return stateful(key(0), new ArrayType(value, true), 1, (s, t) -> new Top(s, t, n, ranks, value, store, read));
  }

  private Spec view() {
    boolean filter = op.equals("table_filter");
    Bound bound = filter ? predicate(node.get("predicate")) : Compiler.bind(scope(), node.get("value"));
    DataType value = filter ? value(0) : bound.type(0);
    StoreSpec store = store();
    if (store == null && bound.usesMeta()) {
      throw new IllegalArgumentException("a table without a store is worked out again whenever it is read, when the record"
          + " behind it is gone; use map_values(..., store=...), or take the metadata into the value before the table");
    }
    if (store == null) {
      return stateless(key(0), value, (s, t) -> new TableView(s, t, bound, filter));
    }
    boolean read = readByOthers();
    return stateful(key(0), value, 1, (s, t) -> new KeptView(s, t, bound, filter, store, read));
  }
}
