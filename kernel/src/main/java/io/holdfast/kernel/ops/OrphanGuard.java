package io.holdfast.kernel.ops;

import java.io.IOException;
import java.util.Optional;

/**
 * Makes sure that a JVM ends whose Python process was killed.
 *
 * <p>It exits when its standard input closes, but an exit in the middle of a commit can wait for ever in RocksDB's native code, at a point where
 * no Java thread runs any more. Then another process kills it; while Python lives, Python does.
 */
public final class OrphanGuard {
  private static final int KILL_DELAY_SECONDS = 10;

  private OrphanGuard() {}

  /** Must be called once, by the process that started this JVM. */
  public static void install() {
    Optional<ProcessHandle> parent = ProcessHandle.current().parent();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      if (parent.isPresent() && !parent.get().isAlive()) {
        endFromOutside();
      }
    }, "holdfast-orphan"));
  }

  private static void endFromOutside() {
    String command = "sleep " + KILL_DELAY_SECONDS + "; kill -9 " + ProcessHandle.current().pid();
    try {
      new ProcessBuilder("sh", "-c", command)
          .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException noShell) {
      // Then only the exit itself ends the JVM.
    }
  }
}
