package io.holdfast.kernel.workers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file for the stack trace of a worker that crashes, or is asked for it by a signal. */
final class PythonTrace {
  private static final Pattern FRAME = Pattern.compile("File \"([^\"]+)\", line (\\d+) in (\\S+)");
  final Path file;

  PythonTrace() {
    try {
      file = Files.createTempFile("holdfast-python-", ".trace");
      file.toFile().deleteOnExit();
    } catch (IOException e) {
      throw new IllegalStateException("no temporary file can be made: " + e.getMessage(), e);
    }
  }

  /** Signals a process to write its stack trace, and waits a moment for it. */
  void ask(long pid) {
    try {
      new ProcessBuilder("kill", "-USR1", Long.toString(pid)).start().waitFor(2, TimeUnit.SECONDS);
      for (int i = 0; i < 20 && Files.size(file) == 0; i++) {
        Thread.sleep(50);
      }
    } catch (IOException unknown) {
      // Then the message does not say where it was.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The innermost line of the user's code, or nothing. */
  String where() {
    try {
      Matcher frame = FRAME.matcher(Files.readString(file));
      while (frame.find()) {
        if (!frame.group(1).contains("holdfast/workers")) {
          return " at " + frame.group(1) + ":" + frame.group(2) + " in " + frame.group(3);
        }
      }
    } catch (IOException unknown) {
      // It is only a hint.
    }
    return "";
  }

  void delete() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException left) {
      // It is deleted with the others at the end.
    }
  }
}
