package io.holdfast.kernel.nodes.windows;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataType;

/** Compiles an aggregate over windows with one result per key at a time: trailing, sliding count ("last"), tumbling count ("every"). */
public final class RecordWindowCompiler {
  public static final Set<String> KINDS = Set.of("trailing", "last", "every");
  private final NodeCompiler of;
  private final JsonNode window;
  private final Folder.Plan plan;
  private final int inputs;

  public RecordWindowCompiler(NodeCompiler of, Folder.Plan plan, int inputs) {
    this.of = of;
    this.window = of.node.get("window");
    this.plan = plan;
    this.inputs = inputs;
  }

  public NodeSpec compile() {
    return switch (window.get("kind").asText()) {
      case "trailing" -> trailing();
      case "last" -> last();
      case "every" -> every();
      default -> throw new IllegalArgumentException("unknown kind of window '" + window.get("kind").asText() + "'");
    };
  }

  private NodeSpec trailing() {
    Folder.Plan folder = plan;
    StoreSpec store = of.store();
    boolean read = of.readByOthers();
    List<DataType> values = values();
    String late = of.node.hasNonNull("late") ? of.node.get("late").asText() : null;
    TrailingTable.Options options = new TrailingTable.Options(window.get("size").asLong(), window.get("grace").asLong(), late);
    return of.stateful(of.key(0), plan.value(), inputs, List.of(TrailingTable.RECORDS, TrailingTable.TIME),
        (s, t) -> new TrailingTable(s, t, folder, options, values, store, read));
  }

  private NodeSpec last() {
    Folder.Plan folder = plan;
    StoreSpec store = of.store();
    boolean read = of.readByOthers();
    List<DataType> values = values();
    int n = window.get("n").asInt();
    return of.stateful(of.key(0), plan.value(), inputs, (s, t) -> new SlidingCountTable(s, t, folder, n, values, store, read));
  }

  private NodeSpec every() {
    Folder.Plan folder = plan;
    StoreSpec store = of.store();
    boolean read = of.readByOthers();
    int n = window.get("n").asInt();
    return of.stateful(of.key(0), plan.value(), inputs, (s, t) -> new TumblingCountTable(s, t, folder, n, store, read));
  }

  private List<DataType> values() {
    return IntStream.range(0, inputs).mapToObj(of::value).toList();
  }
}
