package io.holdfast.kernel.nodes;

import java.util.function.BiConsumer;

/** A node whose store can be read from outside of the task. */
public interface QueryableStore {
  /** Passes the keys and values, as the user sees them, of one entry of the store to a visitor. */
  void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> visitor);
}
