package io.holdfast.kernel.nodes;

/** A table whose store can be read from outside. */
public interface StoredTable {
  /** The key that an entry is stored under, as the user sees it. */
  Object storedKey(byte[] group, byte[] key);

  /** The stored entry as the user sees it. */
  Object storedValue(byte[] stored);
}
