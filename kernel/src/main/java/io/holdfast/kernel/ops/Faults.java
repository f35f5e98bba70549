package io.holdfast.kernel.ops;

import java.util.concurrent.atomic.AtomicInteger;

/** Ends the process at a named point on its way, if the system property holdfast.fault says so: for tests of crashes. */
public final class Faults {
  private static final String[] WANTED = System.getProperty("holdfast.fault", "").split(":");
  private static final AtomicInteger PASSED = new AtomicInteger();

  private Faults() {}

  /** Passes the point; the n-th time, of "point:n", the process ends as if it were killed. */
  public static void at(String point) {
    if (WANTED.length == 2 && WANTED[0].equals(point) && PASSED.incrementAndGet() == Integer.parseInt(WANTED[1])) {
      Runtime.getRuntime().halt(137);
    }
  }
}
