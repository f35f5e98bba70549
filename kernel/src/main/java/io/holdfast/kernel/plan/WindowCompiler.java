package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.CalendarWindows;
import io.holdfast.kernel.nodes.Folder;
import io.holdfast.kernel.nodes.SessionTable;
import io.holdfast.kernel.nodes.SessionTimes;
import io.holdfast.kernel.nodes.SlidingWindowed;
import io.holdfast.kernel.nodes.TimeWindowed;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.Windowing;
import io.holdfast.kernel.nodes.Windows;
import io.holdfast.kernel.task.Spec;
import java.util.List;

/** Resolves an aggregate over windows. */
final class WindowCompiler {
  private static final List<String> PARTS = List.of("time");
  private final NodeContext of;
  private final JsonNode window;
  private int inputs;

  WindowCompiler(NodeContext of) {
    this.of = of;
    this.window = of.node.get("window");
  }

  Spec compile(Folder.Plan folder, int groups) {
    inputs = groups;
    String kind = text("kind");
    if (RecordWindowCompiler.KINDS.contains(kind)) {
      return new RecordWindowCompiler(of, folder, inputs).compile();
    }
    Windowing options = options(folder);
    return switch (kind) {
      case "tumbling", "hopping" -> time(options, new Windows.Aligned(ms("size"), ms("advance"), ms("retention")));
      case "calendar" -> time(options, new CalendarWindows(text("unit"), text("timezone"), ms("grace")));
      case "sliding" -> sliding(options, ms("difference"), ms("retention"));
      case "session" -> session(options, new SessionTimes(ms("gap"), ms("retention")));
      default -> throw new IllegalArgumentException("unknown kind of window '" + kind + "'");
    };
  }

  private Windowing options(Folder.Plan folder) {
    String late = of.node.hasNonNull("late") ? of.node.get("late").asText() : null;
    boolean onClose = text("emit").equals("final");
    return new Windowing(of.key(0), folder, of.store(), ms("grace"), onClose, late, of.readByOthers());
  }

  private Spec time(Windowing options, Windows windows) {
    return table(options, (s, t) -> new TimeWindowed(s, t, windows, options));
  }

  private Spec sliding(Windowing options, long difference, long retention) {
    return table(options, (s, t) -> new SlidingWindowed(s, t, difference, retention, options));
  }

  private Spec session(Windowing options, SessionTimes times) {
    return table(options, (s, t) -> new SessionTable(s, t, options, times));
  }

  private Spec table(Windowing options, NodeContext.Opener opener) {
    return of.stateful(WindowKeys.type(options.key()), options.folder().value(), inputs, PARTS, opener);
  }

  private long ms(String name) {
    return window.get(name).asLong();
  }

  private String text(String name) {
    return window.path(name).asText();
  }
}
