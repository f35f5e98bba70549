package io.holdfast.kernel.workers;

import java.util.function.UnaryOperator;

/** Where Python functions run: in worker processes, or in the process of a test. */
public interface PythonCalls {
  /**
   * Runs a function on many records.
   *
   * @param arguments what its runner reads, a stream of Arrow's as a rule
   * @param asked answers what the function asks while it runs
   * @return what its runner writes
   */
  byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked);

  /** Runs a function that asks nothing. */
  default byte[] call(PythonFunction function, byte[] arguments) {
    return call(function, arguments, question -> {
      throw new IllegalStateException("the Python function " + function.id() + " asks for something that nobody answers");
    });
  }
}
