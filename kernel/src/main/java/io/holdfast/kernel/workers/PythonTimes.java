package io.holdfast.kernel.workers;

import java.util.HashMap;
import java.util.Map;

/**
 * What Python functions cost on this thread since somebody looked, in nanoseconds by part: "arrow" and "call" (all that lies between
 * sending and having the answer) here, and what the other process says of itself: "python read", "python call", "python write".
 */
public final class PythonTimes {
  /** What the other process writes into the schema of its answer. */
  private static final String METADATA_KEY = "nanoseconds";
  private static final ThreadLocal<Map<String, Long>> SPENT = ThreadLocal.withInitial(HashMap::new);

  private PythonTimes() {}

  static void since(long start, String part) {
    SPENT.get().merge(part, System.nanoTime() - start, Long::sum);
  }

  /** Takes what the schema of an answer tells. */
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

  /** Gives what was spent, and begins anew. */
  public static Map<String, Long> take() {
    Map<String, Long> spent = SPENT.get();
    if (spent.isEmpty()) {
      return Map.of();
    }
    SPENT.remove();
    return spent;
  }

  /** The same calls, with their time taken. */
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
