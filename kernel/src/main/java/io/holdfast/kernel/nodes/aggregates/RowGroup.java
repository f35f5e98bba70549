package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.StreamRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rows of one group during a batch. Each has a number, higher than those of the rows that got their values before it.
 *
 * <p>The stored bytes of a row are its number (8) and its value. They are read as a whole at most once per batch.
 */
final class RowGroup {
  private final KeyValueStore store;
  private byte[] group;
  private long next;
  private long size;
  /** The values by number, once all are loaded. */
  private TreeMap<Long, byte[]> values;
  private Map<Bytes, Long> numbers;
  /** The state that the rows were folded to. */
  Object folded;
  /** Whether a row was removed since. */
  boolean stale;
  /** The records of rows that were added while it is stale. */
  final Map<Long, StreamRecord> fresh = new HashMap<>();

  RowGroup(KeyValueStore store, long next, long size, Object folded) {
    this.store = store;
    this.next = next;
    this.size = size;
    this.folded = folded;
  }

  /** Sets the key of the group. */
  RowGroup of(byte[] key) {
    group = key;
    return this;
  }

  long next() {
    return next;
  }

  long size() {
    return size;
  }

  /** The number of the row that came last. */
  long last() {
    return next - 1;
  }

  void put(byte[] row, byte[] value) {
    remove(row);
    long number = next++;
    size++;
    store.put(group, row, ByteBuffer.allocate(8 + value.length).putLong(number).put(value).array());
    if (values != null) {
      values.put(number, value);
      numbers.put(new Bytes(row), number);
    }
  }

  void remove(byte[] row) {
    Long number = numberOf(row);
    if (number == null) {
      return;
    }
    store.remove(group, row);
    size--;
    stale = size > 0;
    fresh.remove(number);
    if (values != null) {
      values.remove(number);
      numbers.remove(new Bytes(row));
    }
    if (size == 0) {
      folded = null;
    }
  }

  private Long numberOf(byte[] row) {
    if (values != null) {
      return numbers.get(new Bytes(row));
    }
    byte[] stored = size == 0 ? null : store.get(group, row);
    return stored == null ? null : ByteBuffer.wrap(stored).getLong();
  }

  /** The values in the order of their numbers. */
  Map<Long, byte[]> inOrder() {
    if (values == null) {
      values = new TreeMap<>();
      numbers = new HashMap<>();
      for (KeyValueStore.Pair row : store.scan(group)) {
        long number = ByteBuffer.wrap(row.value()).getLong();
        values.put(number, Arrays.copyOfRange(row.value(), 8, row.value().length));
        numbers.put(new Bytes(row.key()), number);
      }
    }
    return values;
  }
}
