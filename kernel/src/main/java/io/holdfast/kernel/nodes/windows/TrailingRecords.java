package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.RecordCodec;
import io.holdfast.kernel.task.StreamRecord;
import java.util.ArrayDeque;

/** The records of one key that a trailing window may still need, and during a batch the state of the latest window. */
final class TrailingRecords {
  private final TimeSeries series;
  private final RecordCodec codec;
  private final Object key;
  /** The window of the latest record, and its state; null if they are not known. */
  private ArrayDeque<StreamRecord> window;
  private Object state;

  TrailingRecords(TimeSeries series, RecordCodec codec, Object key) {
    this.series = series;
    this.codec = codec;
    this.key = key;
  }

  /** Folds the records in (t - size, t] and this one at t, the earlier first. */
  Object fold(StreamRecord r, long size, Folder folder) {
    if (!series.isEmpty() && r.timestamp < series.last()) {
      window = null;
      return folder.add(folder.fold(read(r.timestamp, size)), r);
    }
    ArrayDeque<StreamRecord> known = window;
    window = null;
    if (known == null) {
      known = read(r.timestamp, size);
      state = folder.fold(known);
    } else if (leave(known, r.timestamp - size)) {
      state = folder.fold(known);
    }
    state = folder.add(state, r);
    known.add(r);
    // Only now: if the fold fails, the state is not known any more.
    window = known;
    return state;
  }

  private ArrayDeque<StreamRecord> read(long time, long size) {
    ArrayDeque<StreamRecord> out = new ArrayDeque<>();
    series.between(time - size + 1, time).forEach(item -> out.add(codec.decode(item.value, key)));
    return out;
  }

  private static boolean leave(ArrayDeque<StreamRecord> window, long until) {
    int before = window.size();
    while (!window.isEmpty() && window.peek().timestamp <= until) {
      window.poll();
    }
    return window.size() < before;
  }

  void add(StreamRecord r) {
    series.add(r.timestamp, codec.encode(r), null);
  }

  /** Drops the records up to this time. */
  void dropUpTo(long time) {
    series.dropBefore(time + 1);
  }

  /** Whether the key was new to this batch. */
  boolean isNew() {
    return !series.existed();
  }

  boolean isEmpty() {
    return series.isEmpty();
  }

  long latest() {
    return series.last();
  }

  /** The end of the batch. */
  void flush() {
    series.flush();
  }
}
