package io.holdfast.kernel.stores;

import java.util.concurrent.atomic.LongAdder;

/** How many rows of state this process has read and written, how long that took, and how much the row caches use; for metrics and benches. */
public final class StateMetrics {
  static final LongAdder READS = new LongAdder();
  static final LongAdder WRITES = new LongAdder();

  private static final LongAdder NANOSECONDS = new LongAdder();

  private StateMetrics() {}

  static void since(long start) {
    NANOSECONDS.add(System.nanoTime() - start);
  }

  public static long nanoseconds() {
    return NANOSECONDS.sum();
  }

  /** How much memory outside of the heap the row caches use. */
  public static long cachedBytes() {
    return MemoryShare.ofProcess().used();
  }

  public static long reads() {
    return READS.sum();
  }

  public static long writes() {
    return WRITES.sum();
  }
}
