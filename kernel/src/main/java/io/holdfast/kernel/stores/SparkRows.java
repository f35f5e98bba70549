package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;

/**
 * Rows of one state variable in Spark's state store, without the encoders between: key and value are one column of bytes each, and
 * the key's begins with the label of its task.
 *
 * <p>What it writes is what the variable itself would write under a grouping key of these bytes.
 */
final class SparkRows extends CountedRows {
  private static final int AT_ONCE = 1_000;
  private static final int FEW = 4;
  /** The way for many rows at once; null if each has to go through the store. */
  private final RocksRows many;
  /** What is in memory; null if nothing is. */
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
      Accesses.READS.increment();
      return known;
    }
    byte[] found = get(BinaryRows.of(task, key));
    cache.put(task, key, found);
    return found;
  }

  void put(byte[] task, byte[] key, byte[] value) {
    put(BinaryRows.of(task, key), value);
    if (cache != null) {
      cache.put(task, key, value);
    }
  }

  void remove(byte[] task, byte[] key) {
    remove(BinaryRows.of(task, key));
    if (cache != null) {
      cache.put(task, key, null);
    }
  }

  /** The values of many keys, null for those that are not there. */
  List<byte[]> getAll(byte[] task, List<byte[]> keys) {
    long start = System.nanoTime();
    Accesses.READS.add(keys.size());
    List<byte[]> out = cache == null ? readAll(task, keys) : cachedAll(task, keys);
    Accesses.since(start);
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

  private List<byte[]> readAll(byte[] task, List<byte[]> keys) {
    List<byte[]> out = new ArrayList<>(keys.size());
    int alone = alone(keys);
    for (int from = 0; from < alone; from += AT_ONCE) {
      read(task, keys.subList(from, Math.min(alone, from + AT_ONCE)), out);
    }
    for (int from = alone; from < keys.size(); from += AT_ONCE) {
      many.read(task, keys.subList(from, Math.min(keys.size(), from + AT_ONCE)), out);
    }
    return out;
  }

  /** Writes the values of many keys; null removes a key. */
  void putAll(byte[] task, List<byte[]> keys, List<byte[]> values) {
    int alone = alone(keys);
    for (int i = 0; i < alone; i++) {
      if (values.get(i) == null) {
        remove(task, keys.get(i));
      } else {
        put(task, keys.get(i), values.get(i));
      }
    }
    if (alone < keys.size()) {
      long start = System.nanoTime();
      Accesses.WRITES.add(keys.size() - alone);
      List<byte[]> others = keys.subList(alone, keys.size());
      List<byte[]> theirs = values.subList(alone, keys.size());
      many.write(task, others, theirs);
      if (cache != null) {
        cache.putAll(task, others, theirs);
      }
      Accesses.since(start);
    }
  }

  /** How many of the keys go through the store itself: the first ones at least, because it knows whether it is open. */
  private int alone(List<byte[]> keys) {
    return many == null ? keys.size() : Math.min(keys.size(), FEW);
  }

  private void read(byte[] task, List<byte[]> keys, List<byte[]> out) {
    UnsafeRow[] rows = new UnsafeRow[keys.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = BinaryRows.of(task, keys.get(i));
    }
    scala.collection.Iterator<UnsafeRow> found = store.multiGet(rows, name);
    for (int i = 0; i < rows.length; i++) {
      out.add(bytes(found.next()));
    }
  }
}
