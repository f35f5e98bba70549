package io.holdfast.kernel.source;

/**
 * Throttles the polls of a reader in real-time mode: none while few records come, else one every few milliseconds.
 *
 * <p>Records of one poll go through stages, stores and requests together. With thousands of records in a second, processing each by itself would
 * take so long that they wait for each other far longer than for the next poll.
 */
final class PollThrottle {
  /** The number of records in one slot from which on polls are throttled. */
  private static final int MANY = 100;
  private static final long SLOT_NANOS = 100_000_000L;
  private static final long APART_NANOS = 10_000_000L;
  private long slot = System.nanoTime();
  private int count;
  private boolean busy;
  private long read = slot;

  /** Notes how many records a poll returned. */
  void polled(int records) {
    read = System.nanoTime();
    count += records;
    if (read - slot >= SLOT_NANOS) {
      busy = count * SLOT_NANOS >= MANY * (read - slot);
      slot = read;
      count = 0;
    }
  }

  /** How long to wait before the next poll, in nanoseconds; not positive if not at all. */
  long rest() {
    return busy ? APART_NANOS - (System.nanoTime() - read) : 0;
  }
}
