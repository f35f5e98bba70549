package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.stores.KeyTable;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.List;

/** One entry of a table during a batch: its value before the batch, its current value, and every value in between. */
public final class Entry extends KeyTable.Keyed {
  /** The state of the node; null if there is none. */
  public Object state;
  long timestamp = Long.MIN_VALUE;
  /** Whether the key existed at the last emission. */
  public boolean existed;
  /** Whether the state is to be written. */
  boolean changed;
  /** The value that was emitted last. */
  Object emitted;
  /** The value now. */
  public Object value;
  /** The record that caused the last change; null if nothing changed. */
  public StreamRecord last;
  /** The position of its last change among all changes of the batch. */
  int position;
  /** The value before the batch, if it is needed. */
  public Object before;
  private long timestampBefore = Long.MIN_VALUE;
  private List<byte[]> orders;
  private List<ValueAndTimestamp> values;

  public Entry(byte[] key, int hash) {
    super(key, hash);
  }

  /** One that is in no table. */
  public Entry(byte[] key, Object state, long timestamp, Object value) {
    this(key, 0);
    was(state, timestamp, value);
  }

  /** Sets what the store has of the key; {@code shown} is the value before the batch, if it is needed. */
  void was(Object stored, long storedTime, Object shown) {
    state = stored;
    timestamp = storedTime;
    existed = stored != null;
    before = shown;
    emitted = shown;
    value = shown;
    timestampBefore = storedTime;
  }

  /** Marks all changes so far as emitted. */
  void settle() {
    existed = state != null;
    emitted = value;
    last = null;
  }

  /** Records the value from this position in the order on. */
  public void version(byte[] order) {
    if (orders == null) {
      orders = new ArrayList<>();
      values = new ArrayList<>();
    }
    orders.add(order);
    values.add(new ValueAndTimestamp(value, timestamp));
  }

  /** Records that the key is deleted from this position in the order on. */
  public void deleted(byte[] order) {
    Object last = value;
    value = null;
    version(order);
    value = last;
  }

  /** The value that a record at this position sees; one with the position of a change was caused by that change. */
  public ValueAndTimestamp asOf(byte[] order) {
    int i = orders == null ? -1 : orders.size() - 1;
    while (i >= 0 && Order.compare(orders.get(i), order) > 0) {
      i--;
    }
    ValueAndTimestamp found = i < 0 ? new ValueAndTimestamp(before, timestampBefore) : values.get(i);
    return found.value() == null ? null : found;
  }
}
