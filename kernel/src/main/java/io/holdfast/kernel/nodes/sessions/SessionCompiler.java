package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.windows.WindowCompiler;
import io.holdfast.kernel.nodes.windows.WindowOptions;
import io.holdfast.kernel.task.NodeSpec;

/** Compiles an aggregate over sessions. */
public final class SessionCompiler {
  public static final String KIND = "session";

  private SessionCompiler() {}

  public static NodeSpec compile(WindowCompiler windows, Folder.Plan folder) {
    WindowOptions options = windows.options(folder);
    SessionTimes times = new SessionTimes(windows.ms("gap"), windows.ms("retention"));
    return windows.table(options, (s, t) -> new SessionTable(s, t, options, times));
  }
}
