package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Values that were read before they are asked for, many at once: that is cheaper than one by one, above all for keys that are not
 * there.
 */
final class Fetched {
  private static final int AT_ONCE = 1_000;
  private static final byte[] NOTHING = {};
  private final SparkRows rows;
  private final Map<Bytes, byte[]> values = new HashMap<>();

  Fetched(SparkRows rows) {
    this.rows = rows;
  }

  void fetch(Collection<byte[]> keys) {
    byte[][] sorted = keys.toArray(byte[][]::new);
    // Neighbours lie in the same blocks of the store's files.
    Arrays.sort(sorted, Arrays::compareUnsigned);
    for (int from = 0; from < sorted.length; from += AT_ONCE) {
      int until = Math.min(sorted.length, from + AT_ONCE);
      byte[][] found = rows.getAll(sorted, from, until);
      for (int i = from; i < until; i++) {
        values.put(new Bytes(sorted[i]), found[i - from] == null ? NOTHING : found[i - from]);
      }
    }
  }

  /** The value of a key; read now if it was not fetched, and fetched once only. */
  byte[] take(byte[] key) {
    byte[] value = values.isEmpty() ? null : values.remove(new Bytes(key));
    if (value == null) {
      return rows.get(key);
    }
    return value == NOTHING ? null : value;
  }

  /** The key has another value now. */
  void forget(byte[] key) {
    if (!values.isEmpty()) {
      values.remove(new Bytes(key));
    }
  }
}
