package io.holdfast.kernel.source;

/**
 * How often a reader without end reads: at once while little comes, else every few milliseconds.
 *
 * <p>What is read together goes through stages, stores and requests together. When thousands of records come in a second, each alone would cost so
 * much that they wait for each other far longer than for the next read.
 */
final class PollThrottle {
  /** From how many records on, in one slot, a reader takes its time. */
  private static final int MANY = 100;
  private static final long SLOT_NANOS = 100_000_000L;
  private static final long APART_NANOS = 10_000_000L;
  private long slot = System.nanoTime();
  private int count;
  private boolean busy;
  private long read = slot;

  /** Notes how many records a read gave. */
  void took(int records) {
    read = System.nanoTime();
    count += records;
    if (read - slot >= SLOT_NANOS) {
      busy = count * SLOT_NANOS >= MANY * (read - slot);
      slot = read;
      count = 0;
    }
  }

  /** How long to wait before the next read, in nanoseconds; not positive if not at all. */
  long rest() {
    return busy ? APART_NANOS - (System.nanoTime() - read) : 0;
  }
}
