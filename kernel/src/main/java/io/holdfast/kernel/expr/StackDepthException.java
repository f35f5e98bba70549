package io.holdfast.kernel.expr;

/** An expression exceeds the stack: that concerns one record, and must not end the task, as a StackOverflowError would. */
final class StackDepthException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private StackDepthException(StackOverflowError cause) {
    super("the expression takes more of the stack than there is; a regular expression with alternatives that are repeated, as (a|b)*, does so"
        + " for a long text: [ab]* does not", cause);
  }

  static StackDepthException instead(StackOverflowError cause) {
    return new StackDepthException(cause);
  }
}
