package io.holdfast.kernel.task;

import org.apache.spark.SparkThrowable;

/** What to say of a failure in a dead letter: one line, without Spark's advice about its own settings. */
public final class Reasons {
  private static final int LONGEST = 500;

  private Reasons() {}

  public static String of(Throwable failure) {
    String message = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    if (failure instanceof SparkThrowable) {
      int advice = message.indexOf(" If necessary set ");
      message = advice < 0 ? message : message.substring(0, advice);
      advice = message.indexOf(" SQLSTATE: ");
      message = advice < 0 ? message : message.substring(0, advice);
    }
    String line = message.lines().findFirst().orElse("").strip();
    return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
  }
}
