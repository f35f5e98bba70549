package io.holdfast.kernel.plan;

import io.holdfast.kernel.nodes.Folder;
import io.holdfast.kernel.nodes.SessionTable;
import io.holdfast.kernel.nodes.SessionTimes;
import io.holdfast.kernel.nodes.Windowing;
import io.holdfast.kernel.task.Spec;

/** Resolves an aggregate over sessions. */
final class SessionCompiler {
  static final String KIND = "session";

  private SessionCompiler() {}

  static Spec compile(WindowCompiler windows, Folder.Plan folder) {
    Windowing options = windows.options(folder);
    SessionTimes times = new SessionTimes(windows.ms("gap"), windows.ms("retention"));
    return windows.table(options, (s, t) -> new SessionTable(s, t, options, times));
  }
}
