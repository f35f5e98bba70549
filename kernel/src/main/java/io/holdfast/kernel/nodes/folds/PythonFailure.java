package io.holdfast.kernel.nodes.folds;

/** A Python function has no result for a record. */
final class PythonFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PythonFailure(String reason) {
    super(reason, null, false, false);
  }
}
