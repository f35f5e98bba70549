package io.holdfast.kernel.nodes;

import java.util.function.BiConsumer;

/** A table whose store can be read from outside. */
public interface StoredTable {
  /** Shows the keys and values, as the user sees them, that one entry of the store holds. */
  void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> visitor);
}
