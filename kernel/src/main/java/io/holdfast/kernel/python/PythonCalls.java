package io.holdfast.kernel.python;

/** Where Python functions run: in worker processes, or in the process of a test. */
public interface PythonCalls {
  /**
   * Runs a function on many records.
   *
   * @param arguments a stream of Arrow's, a row for each record
   * @return a stream of Arrow's, a row for each record: the result, or why there is none
   */
  byte[] call(PythonFunction function, byte[] arguments);
}
