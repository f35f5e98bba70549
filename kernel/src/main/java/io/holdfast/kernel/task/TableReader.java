package io.holdfast.kernel.task;

/** A table as another node sees it. */
public interface TableReader {
  /** The key's value as of the given place in the order, or null. */
  Object asOf(byte[] keyBytes, Object key, byte[] order);
}
