package io.holdfast.kernel.nodes.windows;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.NodeSpec;
import java.util.List;

/** Compiles an aggregate over windows of time. */
public final class WindowCompiler {
  private final NodeCompiler of;
  private final JsonNode window;
  private final int inputs;

  public WindowCompiler(NodeCompiler of, int inputs) {
    this.of = of;
    this.window = of.node.get("window");
    this.inputs = inputs;
  }

  public NodeSpec compile(Folder.Plan folder) {
    WindowOptions options = options(folder);
    String kind = text("kind");
    return switch (kind) {
      case "tumbling", "hopping" -> aligned(options, new Windows.Aligned(ms("size"), ms("advance"), ms("retention")));
      case "calendar" -> aligned(options, new CalendarWindows(text("unit"), text("timezone"), ms("grace")));
      case "sliding" -> sliding(options, ms("difference"), ms("retention"));
      default -> throw new IllegalArgumentException("unknown kind of window '" + kind + "'");
    };
  }

  public WindowOptions options(Folder.Plan folder) {
    String late = of.node.hasNonNull("late") ? of.node.get("late").asText() : null;
    boolean onClose = text("emit").equals("final");
    return new WindowOptions(of.key(0), folder, of.store(), ms("grace"), onClose, late, of.readByOthers());
  }

  private NodeSpec aligned(WindowOptions options, Windows windows) {
    return table(options, (s, t) -> new TimeWindowTable(s, t, windows, options));
  }

  private NodeSpec sliding(WindowOptions options, long difference, long retention) {
    return table(options, (s, t) -> new SlidingWindowTable(s, t, difference, retention, options));
  }

  public NodeSpec table(WindowOptions options, NodeCompiler.NodeFactory opener) {
    return of.stateful(WindowKeys.type(options.key()), options.folder().value(), inputs, List.of(WindowOptions.PART), opener);
  }

  public long ms(String name) {
    return window.get(name).asLong();
  }

  private String text(String name) {
    return window.path(name).asText();
  }
}
