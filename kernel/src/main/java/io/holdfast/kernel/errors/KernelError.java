package io.holdfast.kernel.errors;

/**
 * An error of the program or of the data that says where: the node and the line that made it.
 *
 * <p>It stops the program, so it is no exception: those are caught, record by record, and made dead letters.
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
