package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Values that were prefetched, many at once: that is cheaper than one by one, above all for keys that are not there.
 */
final class PrefetchedRows {
  private static final byte[] NOTHING = {};
  private final SparkRows rows;
  private final Map<Bytes, byte[]> values = new HashMap<>();
  private byte[] label = NOTHING;

  PrefetchedRows(SparkRows rows) {
    this.rows = rows;
  }

  void fetch(byte[] task, Collection<byte[]> keys) {
    turnTo(task);
    List<byte[]> all = new ArrayList<>(keys);
    List<byte[]> found = rows.getAll(task, all);
    for (int i = 0; i < found.size(); i++) {
      values.put(new Bytes(all.get(i)), found.get(i) == null ? NOTHING : found.get(i));
    }
  }

  /** Drops what was prefetched for another task. */
  private void turnTo(byte[] task) {
    if (!Arrays.equals(task, label)) {
      values.clear();
      label = task;
    }
  }

  /** The value of a key; read now if it was not prefetched; a prefetched value is returned once. */
  byte[] take(byte[] task, byte[] key) {
    turnTo(task);
    byte[] value = values.isEmpty() ? null : values.remove(new Bytes(key));
    if (value == null) {
      return rows.get(task, key);
    }
    return value == NOTHING ? null : value;
  }

  /** Drops all prefetched values. */
  void forget() {
    if (!values.isEmpty()) {
      values.clear();
    }
  }

  /** Drops the prefetched value of a key that was written. */
  void forget(byte[] task, byte[] key) {
    turnTo(task);
    if (!values.isEmpty()) {
      values.remove(new Bytes(key));
    }
  }
}
