package io.holdfast.kernel.python;

/** A Python function has no result for a record. */
final class PythonFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PythonFailure(String reason) {
    super(reason, null, false, false);
  }
}
