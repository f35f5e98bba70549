package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import scala.collection.Iterator;

/**
 * Rows of one state variable in Spark's state store, without the encoders between: key and value are one column of bytes each, and
 * the key's begins with the label of its task.
 *
 * <p>What it writes is what the variable itself would write under a grouping key of these bytes.
 */
final class SparkRows extends CountedRows {
  private static final int AT_ONCE = 1_000;

  SparkRows(StateStore store, String name) {
    super(store, name);
  }

  byte[] get(byte[] task, byte[] key) {
    return get(BinaryRows.of(task, key));
  }

  void put(byte[] task, byte[] key, byte[] value) {
    put(BinaryRows.of(task, key), value);
  }

  void remove(byte[] task, byte[] key) {
    remove(BinaryRows.of(task, key));
  }

  /** The values of many keys, null for those that are not there. */
  List<byte[]> getAll(byte[] task, List<byte[]> keys) {
    long start = System.nanoTime();
    Accesses.READS.add(keys.size());
    List<byte[]> out = new ArrayList<>(keys.size());
    for (int from = 0; from < keys.size(); from += AT_ONCE) {
      read(task, keys.subList(from, Math.min(keys.size(), from + AT_ONCE)), out);
    }
    Accesses.since(start);
    return out;
  }

  private void read(byte[] task, List<byte[]> keys, List<byte[]> out) {
    UnsafeRow[] rows = new UnsafeRow[keys.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = BinaryRows.of(task, keys.get(i));
    }
    Iterator<UnsafeRow> found = store.multiGet(rows, name);
    for (int i = 0; i < rows.length; i++) {
      out.add(bytes(found.next()));
    }
  }
}
