package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.stores.KeyTable;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.List;

/** One key of a table during a batch: what it was before, what it is now, and every value in between. */
public final class Entry extends KeyTable.Keyed {
  /** What the node keeps; null if there is nothing. */
  public Object state;
  long timestamp = Long.MIN_VALUE;
  /** Whether the key was there when others were told last. */
  public boolean existed;
  /** Whether the state is to be written. */
  boolean changed;
  /** The value that others were told of last. */
  Object emitted;
  /** The value now. */
  public Object value;
  /** The record behind the last change; null if nothing changed. */
  public StreamRecord last;
  /** Where it changed last, among all changes of the batch. */
  int position;
  /** The value before the batch, if somebody asks for it. */
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

  /** What the store has of the key; {@code shown} is the value before the batch, if somebody asks for it. */
  void was(Object stored, long storedTime, Object shown) {
    state = stored;
    timestamp = storedTime;
    existed = stored != null;
    before = shown;
    emitted = shown;
    value = shown;
    timestampBefore = storedTime;
  }

  /** All changes so far were told; the next one is told from here on. */
  void settle() {
    existed = state != null;
    emitted = value;
    last = null;
  }

  /** Remembers the value from this place in the order on. */
  public void version(byte[] order) {
    if (orders == null) {
      orders = new ArrayList<>();
      values = new ArrayList<>();
    }
    orders.add(order);
    values.add(new ValueAndTimestamp(value, timestamp));
  }

  /** Remembers that there is nothing from this place in the order on. */
  public void deleted(byte[] order) {
    Object last = value;
    value = null;
    version(order);
    value = last;
  }

  /** The value that a record at this place sees; one with the place of a change came out of that change. */
  public ValueAndTimestamp asOf(byte[] order) {
    int i = orders == null ? -1 : orders.size() - 1;
    while (i >= 0 && Order.compare(orders.get(i), order) > 0) {
      i--;
    }
    ValueAndTimestamp found = i < 0 ? new ValueAndTimestamp(before, timestampBefore) : values.get(i);
    return found.value() == null ? null : found;
  }
}
