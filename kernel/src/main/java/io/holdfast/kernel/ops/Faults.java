package io.holdfast.kernel.ops;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends the process at a named point of the code, for tests of crashes.
 *
 * <p>The system property holdfast.fault says where, "point:n" for the n-th time it is passed; or holdfast.fault.file names a file
 * that says so, which may appear at any time and has ".struck" added to its name when it has struck. In the file "point:n:hold"
 * makes the process wait there instead, until that file is deleted.
 */
public final class Faults {
  private static final String[] WANTED = System.getProperty("holdfast.fault", "").split(":");
  private static final String FILE = System.getProperty("holdfast.fault.file");
  private static final boolean ARMED = WANTED.length == 2 || FILE != null;
  private static final String STRUCK = ".struck";
  private static final AtomicInteger PASSED = new AtomicInteger();

  private Faults() {}

  /** Passes the point; the process ends there as if it were killed, if that is wanted. Without either property nothing is done. */
  public static void at(String point) {
    if (ARMED) {
      strike(point);
    }
  }

  private static void strike(String point) {
    if (WANTED.length == 2 && WANTED[0].equals(point) && PASSED.incrementAndGet() == Integer.parseInt(WANTED[1])) {
      Runtime.getRuntime().halt(137);
    }
    if (FILE != null) {
      try {
        obey(Path.of(FILE), point);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void obey(Path file, String point) throws IOException {
    String wanted = counted(file, point);
    if (wanted == null) {
      return;
    }
    if (!wanted.endsWith(":hold")) {
      Runtime.getRuntime().halt(137);
    }
    Path struck = Path.of(file + STRUCK);
    while (Files.exists(struck)) {
      pause();
    }
  }

  /** Counts down in the file, so that the processes of a cluster count together; returns its text at the last count. */
  private static synchronized String counted(Path file, String point) throws IOException {
    try {
      String wanted = Files.readString(file);
      String[] parts = wanted.split(":");
      if (parts.length < 2 || !parts[0].equals(point)) {
        return null;
      }
      int left = Integer.parseInt(parts[1]) - 1;
      if (left > 0) {
        Files.writeString(file, point + ":" + left + (parts.length > 2 ? ":" + parts[2] : ""));
        return null;
      }
      Files.move(file, Path.of(file + STRUCK));
      return wanted;
    } catch (NoSuchFileException nothingWanted) {
      return null;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while waiting at a point", e);
    }
  }
}
