package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * One key of a versioned table during a batch: its latest version, the earlier ones, and the changes of the batch.
 *
 * <p>The latest version is stored apart. The series has those before it and all deletes; when the key is deleted its last item is a
 * delete. A version is valid until the next one begins.
 */
final class KeyVersions {
  private static final byte[] BEFORE = {};
  private final RowCodec values;
  private final Supplier<TimeSeries> stored;
  private TimeSeries history;
  /** The latest version; a null state if the key is deleted or was never there. */
  Object state;
  Object value;
  long time;
  /** The record that caused the last change; null if nothing changed. */
  StreamRecord last;
  /** The changes of the batch at each time, in order, behind the version from before the batch; null if they are not needed. */
  private final TreeMap<Long, List<Put>> batch;

  private record Put(byte[] order, Object value) {}

  KeyVersions(RowCodec values, Supplier<TimeSeries> stored, ValueAndTimestamp latest, Object value, boolean remembers) {
    this.values = values;
    this.stored = stored;
    this.state = latest == null ? null : latest.value();
    this.time = latest == null ? Long.MIN_VALUE : latest.timestamp();
    this.value = value;
    this.batch = remembers ? new TreeMap<>() : null;
  }

  TimeSeries history() {
    if (history == null) {
      history = stored.get();
    }
    return history;
  }

  boolean hasHistory() {
    return history != null;
  }

  /** When the latest version began, or the key was deleted; Long.MIN_VALUE if it was never there. */
  long newest() {
    return state != null ? time : history().isEmpty() ? Long.MIN_VALUE : history().last();
  }

  /**
   * Puts a version.
   *
   * @param newState null deletes the key at that time
   * @return whether it is the latest
   */
  boolean put(long at, Object newState, Object newValue, StreamRecord r) {
    note(at, newValue, r.order);
    last = r;
    if (at >= newest()) {
      putLatest(at, newState, newValue);
      return true;
    }
    TimeSeries.Item there = history().floor(at);
    if (there != null && there.time == at) {
      history().remove(there);
    }
    history().add(at, encoded(newValue), null);
    return false;
  }

  private void putLatest(long at, Object newState, Object newValue) {
    if (state != null && at > time) {
      history().add(time, encoded(value), null);
    }
    boolean deletedThen = state == null && !history().isEmpty() && history().last() == at;
    if (deletedThen && newState != null) {
      history().remove(history().floor(at));
    } else if (!deletedThen && newState == null) {
      history().add(at, null, null);
    }
    state = newState;
    value = newValue;
    time = at;
  }

  private byte[] encoded(Object version) {
    return version == null ? null : values.encode(version);
  }

  private Object decoded(TimeSeries.Item item) {
    return item.value == null ? null : values.decode(item.value);
  }

  private void note(long at, Object newValue, byte[] order) {
    if (batch == null) {
      return;
    }
    List<Put> puts = batch.computeIfAbsent(at, t -> {
      List<Put> begun = new ArrayList<>();
      ValueAndTimestamp there = until(at);
      if (there != null && there.timestamp() == at) {
        begun.add(new Put(BEFORE, there.value()));
      }
      return begun;
    });
    puts.add(new Put(order, newValue));
  }

  /** The version that began last until a time, a delete included, or null. */
  private ValueAndTimestamp until(long at) {
    if (state != null && time <= at) {
      return new ValueAndTimestamp(value, time);
    }
    TimeSeries.Item item = history().floor(at);
    return item == null ? null : new ValueAndTimestamp(decoded(item), item.time);
  }

  /** The version that is valid at a time, as of a position in the order; a delete has a null value; null if there is none. */
  ValueAndTimestamp asOf(byte[] order, long at) {
    ValueAndTimestamp found = until(at);
    while (found != null) {
      List<Put> puts = batch.get(found.timestamp());
      if (puts == null) {
        return found;
      }
      for (int i = puts.size() - 1; i >= 0; i--) {
        if (Order.compare(puts.get(i).order, order) <= 0) {
          return new ValueAndTimestamp(puts.get(i).value, found.timestamp());
        }
      }
      found = until(found.timestamp() - 1);
    }
    return null;
  }

  /** The versions that the batch put, by time. */
  List<ValueAndTimestamp> versions() {
    List<ValueAndTimestamp> out = new ArrayList<>();
    batch.forEach((at, puts) -> out.add(new ValueAndTimestamp(puts.get(puts.size() - 1).value, at)));
    return out;
  }

  /** Drops versions beyond the retention: those that ended before a time. */
  void dropBefore(long horizon) {
    if (newest() <= horizon) {
      history().dropBefore(Long.MAX_VALUE);
      return;
    }
    TimeSeries.Item valid = history().floor(horizon);
    if (valid != null) {
      history().dropBefore(valid.time);
    }
  }
}
