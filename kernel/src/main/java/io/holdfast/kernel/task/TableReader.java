package io.holdfast.kernel.task;

/** A table as another node sees it. */
public interface TableReader {
  /** The key's value and its time as of the given position in the order, or null. */
  ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order);

  /** The key's value as of the given position in the order, or null. */
  default Object asOf(byte[] keyBytes, Object key, byte[] order) {
    ValueAndTimestamp found = stampedAsOf(keyBytes, key, order);
    return found == null ? null : found.value();
  }

  /** Whether it has the values that a key had at earlier times. */
  default boolean isVersioned() {
    return false;
  }

  /** The value that a key had at a time, if the table is versioned; of others that of now. */
  default ValueAndTimestamp stampedAt(byte[] keyBytes, Object key, byte[] order, long time) {
    return stampedAsOf(keyBytes, key, order);
  }
}
