package io.holdfast.kernel.workers;

import java.util.function.UnaryOperator;

/** Where Python functions run: in worker processes, or in the process of a test. */
public interface PythonCalls {
  /**
   * Runs a function on many records.
   *
   * @param arguments the input of its runner, an Arrow stream as a rule
   * @param asked answers the questions of the function while it runs
   * @return the output of its runner
   */
  byte[] call(PythonFunction function, byte[] arguments, UnaryOperator<byte[]> asked);

  /** Runs a function that asks no questions. */
  default byte[] call(PythonFunction function, byte[] arguments) {
    return call(function, arguments, question -> {
      throw new IllegalStateException("the Python function " + function.id() + " asks for something that nobody answers");
    });
  }
}
