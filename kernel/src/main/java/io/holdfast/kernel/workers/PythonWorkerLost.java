package io.holdfast.kernel.workers;

import io.holdfast.kernel.errors.KernelError;

/** The worker process of a Python function ended before it had answered. */
public final class PythonWorkerLost extends KernelError {
  private final boolean began;
  private final boolean repeatable;

  /**
   * @param began whether the function was called
   * @param repeatable whether the call may be repeated in another process
   */
  PythonWorkerLost(PythonFunction function, String problem, boolean began, boolean repeatable) {
    super(function.id(), "", function.title() + ": " + problem);
    this.began = began;
    this.repeatable = repeatable;
  }

  /** Whether a record may be the cause. */
  public boolean began() {
    return began;
  }

  boolean repeatable() {
    return repeatable;
  }
}
