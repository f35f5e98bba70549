package io.holdfast.kernel.stores;

import java.lang.reflect.Field;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.unsafe.Platform;
import scala.collection.Iterator;

/**
 * Rows of one state variable in Spark's state store, without the encoders between: key and value are one column of bytes each.
 *
 * <p>What it writes is what the variable itself would write under a grouping key of these bytes.
 */
final class SparkRows {
  private static final int HEAD = 16;
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

  byte[] get(byte[] key) {
    long start = System.nanoTime();
    Accesses.READS.increment();
    byte[] found = bytes(store().get(row(key), name));
    Accesses.since(start);
    return found;
  }

  void put(byte[] key, byte[] value) {
    long start = System.nanoTime();
    Accesses.WRITES.increment();
    store().put(row(key), row(value), name);
    Accesses.since(start);
  }

  void remove(byte[] key) {
    long start = System.nanoTime();
    Accesses.WRITES.increment();
    store().remove(row(key), name);
    Accesses.since(start);
  }

  /** The values of many keys, null for those that are not there. */
  byte[][] getAll(byte[][] keys, int from, int until) {
    long start = System.nanoTime();
    UnsafeRow[] rows = new UnsafeRow[until - from];
    Accesses.READS.add(rows.length);
    for (int i = from; i < until; i++) {
      rows[i - from] = row(keys[i]);
    }
    Iterator<UnsafeRow> found = store().multiGet(rows, name);
    byte[][] out = new byte[rows.length][];
    for (int i = 0; i < out.length; i++) {
      out[i] = bytes(found.next());
    }
    Accesses.since(start);
    return out;
  }

  private static UnsafeRow row(byte[] bytes) {
    byte[] memory = new byte[HEAD + (bytes.length + 7) / 8 * 8];
    Platform.putLong(memory, Platform.BYTE_ARRAY_OFFSET + 8, (long) HEAD << 32 | bytes.length);
    System.arraycopy(bytes, 0, memory, HEAD, bytes.length);
    UnsafeRow row = new UnsafeRow(1);
    row.pointTo(memory, memory.length);
    return row;
  }

  private static byte[] bytes(UnsafeRow row) {
    return row == null ? null : row.getBinary(0);
  }
}
