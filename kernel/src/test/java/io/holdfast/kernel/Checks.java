package io.holdfast.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Collects failed checks of a test program and ends it with their number. */
public final class Checks {
  /** A step that may fail in any way. */
  public interface Step {
    Object run() throws Exception;
  }

  private final List<String> failures = new ArrayList<>();
  private int count;
  private Path folder;

  /** A folder of the test's own, which is deleted in the end. */
  public Path folder() throws IOException {
    folder = folder == null ? Files.createTempDirectory("holdfast-test") : folder;
    return folder;
  }

  /** The two are equal. */
  public void equal(String what, Object wanted, Object got) {
    count++;
    if (!Objects.equals(wanted, got)) {
      failures.add(what + "\n    wanted " + wanted + "\n    got    " + got);
    }
  }

  /** The step fails with exactly that message. */
  public void fails(String what, Class<? extends Exception> type, String message, Step step) {
    try {
      equal(what, type.getSimpleName() + ": " + message, step.run());
    } catch (Exception e) {
      equal(what, type.getSimpleName() + ": " + message, e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  /** The step fails with a message that contains the text. */
  public void failsWith(String what, Class<? extends Exception> type, String part, Step step) {
    try {
      equal(what, type.getSimpleName() + " with " + part, step.run());
    } catch (Exception e) {
      boolean fits = type.isInstance(e) && String.valueOf(e.getMessage()).contains(part);
      equal(what, type.getSimpleName() + " with " + part, fits ? type.getSimpleName() + " with " + part : e.toString());
    }
  }

  /** Prints the failures and ends the process; a program that has checked nothing has failed. */
  public void end() {
    if (count == 0) {
      failures.add("nothing was checked");
    }
    if (folder != null) {
      delete(folder);
    }
    failures.forEach(failure -> System.err.println("FAILED " + failure));
    System.out.println(count + " checks, " + failures.size() + " failed");
    System.exit(failures.isEmpty() ? 0 : 1);
  }

  private static void delete(Path all) {
    try (Stream<Path> files = Files.walk(all)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
