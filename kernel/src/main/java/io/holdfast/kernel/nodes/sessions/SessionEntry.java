package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.StreamRecord;

/** One session of a key during a batch, be it there or gone: what it was before, and what it is now. */
final class SessionEntry {
  final KeySessions of;
  final long start;
  final long end;
  final Entry entry;
  /** With which it is emitted, if that is when it closes. */
  RawHeader[] headers;
  /** Whether it was forgotten because its time is over. */
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

  /** The change, in the wake of a record and at its place. */
  StreamRecord change(Object old, Object value) {
    return new StreamRecord(entry.last.order, end, key(), value, old, entry.last.headers);
  }

  /** Whether there is nothing to tell of: it came and went within the batch. */
  boolean isNothing() {
    return !entry.existed && entry.value == null;
  }
}
