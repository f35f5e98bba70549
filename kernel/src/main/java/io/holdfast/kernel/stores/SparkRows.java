package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;

/**
 * Rows of one state variable in Spark's state store, without Spark's encoders: key and value are one column of bytes each, and the key begins
 * with the label of its task.
 *
 * <p>It writes the same bytes as the variable itself under a grouping key of these bytes.
 */
final class SparkRows extends CountedRows {
  private static final int AT_ONCE = 1_000;
  private static final int FEW = 4;
  /** Access to many rows at once; null if each has to go through the store. */
  private final RocksRows many;
  /** The row cache; null if there is none. */
  private final RowCache cache;

  SparkRows(StateStore store, String name) {
    this(store, name, RowCache.of(store, name));
  }

  SparkRows(StateStore store, String name, RowCache cache) {
    super(store, name);
    this.many = RocksRows.of(store, name);
    this.cache = cache;
  }

  byte[] get(byte[] task, byte[] key) {
    if (cache == null) {
      return get(BinaryRows.of(task, key));
    }
    byte[] known = cache.get(task, key);
    if (known != null || cache.isComplete()) {
      StateMetrics.READS.increment();
      return known;
    }
    byte[] found = get(BinaryRows.of(task, key));
    cache.put(task, key, found);
    return found;
  }

  void put(byte[] task, byte[] key, byte[] value) {
    change(task, key, value);
    if (cache != null) {
      cache.put(task, key, value);
    }
  }

  void remove(byte[] task, byte[] key) {
    put(task, key, null);
  }

  /** The values of many keys, null for those that are not there. */
  List<byte[]> getAll(byte[] task, List<byte[]> keys) {
    long start = System.nanoTime();
    StateMetrics.READS.add(keys.size());
    List<byte[]> out = cache == null ? readAll(task, keys) : cachedAll(task, keys);
    StateMetrics.since(start);
    return out;
  }

  private List<byte[]> cachedAll(byte[] task, List<byte[]> keys) {
    List<byte[]> out = new ArrayList<>(keys.size());
    int missing = cache.getAll(task, keys, out);
    if (missing == 0 || cache.isComplete()) {
      return out;
    }
    List<byte[]> unknown = new ArrayList<>(missing);
    for (int i = 0; i < out.size(); i++) {
      if (out.get(i) == null) {
        unknown.add(keys.get(i));
      }
    }
    Iterator<byte[]> found = readAll(task, unknown).iterator();
    for (int i = 0; i < out.size(); i++) {
      if (out.get(i) == null) {
        out.set(i, found.next());
        cache.put(task, keys.get(i), out.get(i));
      }
    }
    return out;
  }

  /** Reads in the order of the keys: neighbours are in the same blocks of RocksDB's files. */
  private List<byte[]> readAll(byte[] task, List<byte[]> keys) {
    int[] order = KeyOrder.of(keys);
    List<byte[]> sorted = new ArrayList<>(keys.size());
    for (int index : order) {
      sorted.add(keys.get(index));
    }
    List<byte[]> found = readSorted(task, sorted);
    byte[][] out = new byte[order.length][];
    for (int i = 0; i < order.length; i++) {
      out[order[i]] = found.get(i);
    }
    return Arrays.asList(out);
  }

  private List<byte[]> readSorted(byte[] task, List<byte[]> keys) {
    List<byte[]> out = new ArrayList<>(keys.size());
    int throughStore = throughStore(keys.size());
    for (int from = 0; from < throughStore; from += AT_ONCE) {
      read(task, keys.subList(from, Math.min(throughStore, from + AT_ONCE)), out);
    }
    for (int from = throughStore; from < keys.size(); from += AT_ONCE) {
      many.read(task, keys.subList(from, Math.min(keys.size(), from + AT_ONCE)), out);
    }
    return out;
  }

  /** Writes the values of many keys, in the order of the keys, which is fastest for RocksDB; null removes a key. */
  void putAll(byte[] task, List<byte[]> keys, List<byte[]> values) {
    int[] order = KeyOrder.of(keys);
    int throughStore = throughStore(order.length);
    for (int i = 0; i < throughStore; i++) {
      change(task, keys.get(order[i]), values.get(order[i]));
    }
    long start = System.nanoTime();
    if (throughStore < order.length) {
      StateMetrics.WRITES.add(order.length - throughStore);
      many.write(task, keys, values, Arrays.copyOfRange(order, throughStore, order.length));
    }
    if (cache != null) {
      cache.putAll(task, keys, values);
    }
    StateMetrics.since(start);
  }

  /** Writes a row through the store; null removes it. */
  private void change(byte[] task, byte[] key, byte[] value) {
    if (value == null) {
      remove(BinaryRows.of(task, key));
    } else {
      put(BinaryRows.of(task, key), value);
    }
  }

  /** How many of the keys go through the store itself: the first ones at least, because it knows whether it is open. */
  private int throughStore(int keys) {
    return many == null ? keys : Math.min(keys, FEW);
  }

  private void read(byte[] task, List<byte[]> keys, List<byte[]> out) {
    UnsafeRow[] rows = new UnsafeRow[keys.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = BinaryRows.of(task, keys.get(i));
    }
    scala.collection.Iterator<UnsafeRow> found = manyOf(rows);
    for (UnsafeRow row : rows) {
      byte[] value = bytes(found.next());
      // A read that failed is only reported for a single get.
      out.add(value == null ? read(row) : value);
    }
  }

  private scala.collection.Iterator<UnsafeRow> manyOf(UnsafeRow[] rows) {
    try {
      return store.multiGet(rows, name);
    } catch (Exception failure) {
      throw new StateFailure(failure);
    }
  }
}
