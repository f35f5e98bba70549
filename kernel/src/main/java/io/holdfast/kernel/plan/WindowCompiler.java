package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.CalendarWindows;
import io.holdfast.kernel.nodes.Folder;
import io.holdfast.kernel.nodes.SlidingWindowed;
import io.holdfast.kernel.nodes.TimeWindowed;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.Windowing;
import io.holdfast.kernel.nodes.Windows;
import io.holdfast.kernel.task.Spec;
import java.util.List;

/** Resolves an aggregate over windows of time. */
final class WindowCompiler {
  private final NodeContext of;
  private final JsonNode window;
  private final int inputs;

  WindowCompiler(NodeContext of, int inputs) {
    this.of = of;
    this.window = of.node.get("window");
    this.inputs = inputs;
  }

  Spec compile(Folder.Plan folder) {
    Windowing options = options(folder);
    String kind = text("kind");
    return switch (kind) {
      case "tumbling", "hopping" -> aligned(options, new Windows.Aligned(ms("size"), ms("advance"), ms("retention")));
      case "calendar" -> aligned(options, new CalendarWindows(text("unit"), text("timezone"), ms("grace")));
      case "sliding" -> sliding(options, ms("difference"), ms("retention"));
      default -> throw new IllegalArgumentException("unknown kind of window '" + kind + "'");
    };
  }

  Windowing options(Folder.Plan folder) {
    String late = of.node.hasNonNull("late") ? of.node.get("late").asText() : null;
    boolean onClose = text("emit").equals("final");
    return new Windowing(of.key(0), folder, of.store(), ms("grace"), onClose, late, of.readByOthers());
  }

  private Spec aligned(Windowing options, Windows windows) {
    return table(options, (s, t) -> new TimeWindowed(s, t, windows, options));
  }

  private Spec sliding(Windowing options, long difference, long retention) {
    return table(options, (s, t) -> new SlidingWindowed(s, t, difference, retention, options));
  }

  Spec table(Windowing options, NodeContext.Opener opener) {
    return of.stateful(WindowKeys.type(options.key()), options.folder().value(), inputs, List.of(Windowing.PART), opener);
  }

  long ms(String name) {
    return window.get(name).asLong();
  }

  private String text(String name) {
    return window.path(name).asText();
  }
}
