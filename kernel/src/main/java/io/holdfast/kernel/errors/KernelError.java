package io.holdfast.kernel.errors;

/**
 * An error of the program or of the data, with the node and its line in the program.
 *
 * <p>It stops the app, so it is an Error: exceptions are caught, record by record, and become dead letters.
 */
public class KernelError extends Error {
  private final String node;
  private final String at;

  public KernelError(String node, String at, String message) {
    super(message);
    this.node = node;
    this.at = at;
  }

  public String node() {
    return node;
  }

  public String at() {
    return at;
  }
}
