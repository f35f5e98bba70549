package io.holdfast.kernel;

/** A test program that checks nothing, which must not pass. */
public final class NoChecks {
  private NoChecks() {}

  public static void main(String[] arguments) {
    new Checks().end();
  }
}
