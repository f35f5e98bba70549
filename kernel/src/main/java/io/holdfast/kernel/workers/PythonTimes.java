package io.holdfast.kernel.workers;

import java.util.HashMap;
import java.util.Map;

/**
 * The time of Python functions on this thread since the last {@link #take}, in nanoseconds by part: "arrow" and "call" (from sending a call to having
 * the answer) here, and the parts that the worker reports: "python read", "python call", "python write".
 */
public final class PythonTimes {
  /** The metadata key in the schema of a worker's answer. */
  private static final String METADATA_KEY = "nanoseconds";
  private static final ThreadLocal<Map<String, Long>> SPENT = ThreadLocal.withInitial(HashMap::new);

  private PythonTimes() {}

  static void since(long start, String part) {
    SPENT.get().merge(part, System.nanoTime() - start, Long::sum);
  }

  /** Adds the times in the schema of an answer. */
  static void addReported(Map<String, String> metadata) {
    String reported = metadata == null ? null : metadata.get(METADATA_KEY);
    if (reported == null) {
      return;
    }
    for (String part : reported.split(" ")) {
      int equals = part.indexOf('=');
      SPENT.get().merge("python " + part.substring(0, equals), Long.parseLong(part.substring(equals + 1)), Long::sum);
    }
  }

  /** Returns and clears the times. */
  public static Map<String, Long> take() {
    Map<String, Long> spent = SPENT.get();
    if (spent.isEmpty()) {
      return Map.of();
    }
    SPENT.remove();
    return spent;
  }

  /** The same calls, timed. */
  public static PythonCalls timed(PythonCalls calls) {
    return (function, arguments, asked) -> {
      long start = System.nanoTime();
      try {
        return calls.call(function, arguments, asked);
      } finally {
        since(start, "call");
      }
    };
  }
}
