package io.holdfast.kernel.task;

import org.apache.spark.SparkThrowable;

/** The reason of a failure, as a dead letter has it: one line, without Spark's advice about its own settings. */
public final class FailureReasons {
  private static final int LONGEST = 500;
  /** Those of Python functions have a traceback behind the message. */
  private static final int MOST = 10_000;

  private FailureReasons() {}

  public static String of(Throwable failure) {
    String message = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    if (failure instanceof SparkThrowable) {
      int advice = message.indexOf(" If necessary set ");
      message = advice < 0 ? message : message.substring(0, advice);
      advice = message.indexOf(" SQLSTATE: ");
      message = advice < 0 ? message : message.substring(0, advice);
    }
    String line = message.lines().findFirst().orElse("").strip();
    return within(LONGEST, line);
  }

  /** A reason as it may be part of a dead letter: without it the letter could not be written, so it must fit. */
  static String fitting(String reason) {
    return within(MOST, reason);
  }

  private static String within(int most, String text) {
    return text.length() > most ? text.substring(0, most) + "…" : text;
  }
}
