package io.holdfast.kernel.task;

/** A table as another node sees it. */
public interface TableReader {
  /** The key's value and its time as of the given place in the order, or null. */
  Stamped stampedAsOf(byte[] keyBytes, Object key, byte[] order);

  /** The key's value as of the given place in the order, or null. */
  default Object asOf(byte[] keyBytes, Object key, byte[] order) {
    Stamped found = stampedAsOf(keyBytes, key, order);
    return found == null ? null : found.value();
  }
}
