package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.List;

/** One window of a key during a batch. */
final class WindowEntry {
  final KeyWindows of;
  final long start;
  final long end;
  /** The state of the node; null if there is none. */
  Object state;
  long timestamp;
  /** Whether the window was there before the batch. */
  final boolean existed;
  /** The value before the batch, once the window was touched and if it is needed. */
  Object before;
  /** The current value, if every value is needed. */
  Object value;
  /** The record that caused the last change; null if nothing changed. */
  StreamRecord last;
  /** If it is emitted only when it closes: the headers of the last record that changed it. */
  RawHeader[] headers;
  /** The position of the last change in the order. */
  byte[] order;
  /** Whether it has expired, so that it is dropped at the end of the batch. */
  boolean expired;
  /** Whether the indexes have entries for its closing and expiry. */
  boolean awaited;
  private final long timestampBefore;
  private boolean opened;
  private List<byte[]> orders;
  private List<ValueAndTimestamp> values;

  WindowEntry(KeyWindows of, long start, long end, Object state, long timestamp) {
    this(of, start, end, state, timestamp, state != null);
  }

  private WindowEntry(KeyWindows of, long start, long end, Object state, long timestamp, boolean existed) {
    this.of = of;
    this.start = start;
    this.end = end;
    this.state = state;
    this.timestamp = timestamp;
    this.timestampBefore = timestamp;
    this.existed = existed;
    this.awaited = existed;
  }

  /** A window that exists and was not read. */
  static WindowEntry unread(KeyWindows of, long start, long end) {
    return new WindowEntry(of, start, end, null, Long.MIN_VALUE, true);
  }

  /** The key of the window, as the table has it. */
  Object key() {
    return WindowKeys.of(of.key, start, end);
  }

  /** Must be called before the state changes for the first time. */
  void open(Folder folder, boolean needsValue) {
    if (!opened) {
      opened = true;
      before = needsValue && state != null ? folder.valueOf(state) : null;
      value = before;
    }
  }

  /** Records a value from this position in the order on. */
  void version(byte[] at, Object seen) {
    if (orders == null) {
      orders = new ArrayList<>();
      values = new ArrayList<>();
    }
    orders.add(at);
    values.add(new ValueAndTimestamp(seen, timestamp));
  }

  /** The value that a record at this position sees; one with the position of a change was caused by that change. */
  ValueAndTimestamp asOf(byte[] order, Folder folder) {
    open(folder, true);
    int i = orders == null ? -1 : orders.size() - 1;
    while (i >= 0 && Order.compare(orders.get(i), order) > 0) {
      i--;
    }
    ValueAndTimestamp found = i < 0 ? new ValueAndTimestamp(before, timestampBefore) : values.get(i);
    return found.value() == null ? null : found;
  }
}
