package io.holdfast.kernel.plan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkThrowable;

/** Rewords Spark's errors of an expression in terms of the user's program. */
final class CompileErrors {
  private static final Pattern QUERY_POSITION = Pattern.compile(";?\\s*line \\d+ pos \\d+.*", Pattern.DOTALL);
  private static final Pattern ERROR_CLASS = Pattern.compile("^\\[[A-Z_.0-9]+\\] ");
  private static final Pattern SLOT = Pattern.compile("`(value|left|right|old|new|state|key)`\\.");

  private CompileErrors() {}

  static String of(Throwable problem) {
    String message = problem.getMessage() == null ? problem.toString() : problem.getMessage();
    if (problem instanceof IllegalArgumentException && !(problem instanceof SparkThrowable)) {
      return message;
    }
    if (!(problem instanceof SparkThrowable) || ((SparkThrowable) problem).isInternalError()) {
      return "Spark cannot compile this, and does not say why in words (" + problem.getClass().getSimpleName() + ": "
          + message.lines().findFirst().orElse("") + "); write it otherwise, or run it in Python: hf.python(f, returns=...)";
    }
    int state = message.indexOf(" SQLSTATE:");
    message = state < 0 ? message : message.substring(0, state);
    message = QUERY_POSITION.matcher(message).replaceAll("");
    message = ERROR_CLASS.matcher(message).replaceFirst("");
    return SLOT.matcher(message).replaceAll(Matcher.quoteReplacement("")).strip();
  }
}
