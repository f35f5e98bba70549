package io.holdfast.kernel.stores;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.unsafe.Platform;
import scala.collection.Iterator;

/**
 * Rows of one state variable in Spark's state store, without the encoders between: key and value are one column of bytes each, and
 * the key's begins with the label of its task.
 *
 * <p>What it writes is what the variable itself would write under a grouping key of these bytes.
 */
final class SparkRows {
  private static final int HEAD = 16;
  private static final int AT_ONCE = 1_000;
  private static final byte[] NOTHING = {};
  private final ValueState<byte[]> variable;
  private final String name;
  private StateStore store;

  SparkRows(ValueState<byte[]> variable, String name) {
    this.variable = variable;
    this.name = name;
  }

  /** Found when it is needed: on the driver, where Spark only asks which variables there are, there is none. */
  private StateStore store() {
    if (store == null) {
      store = storeOf(variable);
    }
    return store;
  }

  private static StateStore storeOf(Object variable) {
    try {
      Field field = variable.getClass().getDeclaredField("store");
      field.setAccessible(true);
      return (StateStore) field.get(variable);
    } catch (ReflectiveOperationException other) {
      throw new IllegalStateException("this is not the Spark that the kernel was made for: " + other, other);
    }
  }

  byte[] get(byte[] task, byte[] key) {
    long start = System.nanoTime();
    Accesses.READS.increment();
    byte[] found = bytes(store().get(row(task, key), name));
    Accesses.since(start);
    return found;
  }

  void put(byte[] task, byte[] key, byte[] value) {
    long start = System.nanoTime();
    Accesses.WRITES.increment();
    store().put(row(task, key), row(NOTHING, value), name);
    Accesses.since(start);
  }

  void remove(byte[] task, byte[] key) {
    long start = System.nanoTime();
    Accesses.WRITES.increment();
    store().remove(row(task, key), name);
    Accesses.since(start);
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
      rows[i] = row(task, keys.get(i));
    }
    Iterator<UnsafeRow> found = store().multiGet(rows, name);
    for (int i = 0; i < rows.length; i++) {
      out.add(bytes(found.next()));
    }
  }

  /** A row with one column: the first bytes, then the others. */
  private static UnsafeRow row(byte[] first, byte[] others) {
    int length = first.length + others.length;
    byte[] memory = new byte[HEAD + (length + 7) / 8 * 8];
    Platform.putLong(memory, Platform.BYTE_ARRAY_OFFSET + 8, (long) HEAD << 32 | length);
    System.arraycopy(first, 0, memory, HEAD, first.length);
    System.arraycopy(others, 0, memory, HEAD + first.length, others.length);
    UnsafeRow row = new UnsafeRow(1);
    row.pointTo(memory, memory.length);
    return row;
  }

  private static byte[] bytes(UnsafeRow row) {
    return row == null ? null : row.getBinary(0);
  }
}
