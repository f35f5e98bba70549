package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.StreamRecord;

/** One session of a key during a batch, whether it exists or not: its value before the batch, and its current value. */
final class SessionEntry {
  final KeySessions of;
  final long start;
  final long end;
  final Entry entry;
  /** The headers of its final result. */
  RawHeader[] headers;
  /** Whether it has expired. */
  boolean expired;

  SessionEntry(KeySessions of, long start, long end, Object state, Object value) {
    this.of = of;
    this.start = start;
    this.end = end;
    this.entry = new Entry(of.bytes, state, end, value);
  }

  Object key() {
    return WindowKeys.of(of.key, start, end);
  }

  /** The change, with the position and headers of the record that caused it. */
  StreamRecord change(Object old, Object value) {
    return new StreamRecord(entry.last.order, end, key(), value, old, entry.last.headers);
  }

  /** Whether there is nothing to emit: it was created and deleted within the batch. */
  boolean isNothing() {
    return !entry.existed && entry.value == null;
  }
}
