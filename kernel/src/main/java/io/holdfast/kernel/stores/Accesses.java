package io.holdfast.kernel.stores;

import java.util.concurrent.atomic.LongAdder;

/** How many rows of state this process has read and written; a bench asks for it. */
public final class Accesses {
  static final LongAdder READS = new LongAdder();
  static final LongAdder WRITES = new LongAdder();

  private Accesses() {}

  public static long reads() {
    return READS.sum();
  }

  public static long writes() {
    return WRITES.sum();
  }
}
