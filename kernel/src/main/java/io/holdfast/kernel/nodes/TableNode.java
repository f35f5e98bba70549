package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.Reasons;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.Stamped;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.TableReader;
import io.holdfast.kernel.task.Task;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.sql.types.DataType;

/**
 * A table that is kept in a store: each key is read once and written once per batch.
 *
 * <p>Subclasses say what a record does to a key. The stored bytes are the timestamp (8) and the state as a row.
 */
public abstract class TableNode extends Node implements TableReader, StoredTable {
  private final StoreSpec spec;
  private final KeyValueStore store;
  private final RowCodec keys;
  private final RowCodec states;
  private final Changelog changelog;
  private final boolean readByOthers;
  private final Map<Bytes, Entry> batch = new HashMap<>();
  private final List<Entry> changed = new ArrayList<>();
  private final List<Entry> kept = new ArrayList<>();

  protected TableNode(Spec node, Task task, StoreSpec spec, DataType state, boolean readByOthers) {
    super(node.id);
    this.spec = spec;
    this.store = task.store(spec);
    this.keys = task.codec(node.key);
    this.states = new RowCodec(state);
    this.readByOthers = readByOthers;
    this.changelog = Changelog.of(node);
  }

  /**
   * Takes the record into {@code e.state}; null state deletes the key.
   *
   * @return whether there is a change to tell of
   */
  protected abstract boolean apply(Entry e, Rec r);

  /** The value that others see of a state. */
  protected Object valueOf(Object state) {
    return state;
  }

  /** The stored form of a state. */
  protected Object packed(Object state) {
    return state;
  }

  /** The state out of its stored form. */
  protected Object unpacked(Object stored) {
    return stored;
  }

  /** The timestamp of the new value; by default the latest record that went into it. */
  protected long timestampOf(Entry e, Rec r) {
    return e.state == null ? r.timestamp : Math.max(e.timestamp, r.timestamp);
  }

  /** What to do with a record that this table has no use for; false if it is to be processed. */
  protected boolean skips(Rec r) {
    return false;
  }

  /** To be called by a record that changes the state and tells of nothing: the state is written at the end of the batch. */
  protected final void keep(Entry e) {
    kept.add(e);
  }

  /** The beginning of a batch with records. */
  protected void begin() {
    // Most tables have nothing else to read.
  }

  /** The end of such a batch. */
  protected void end() {
    // Most tables have nothing else to write.
  }

  /** Whether this task's copy writes the changelog. */
  protected boolean tells() {
    return true;
  }

  @Override
  protected final void run(List<Rec> records) {
    batch.clear();
    changed.clear();
    kept.clear();
    if (records.isEmpty()) {
      return;
    }
    begin();
    for (int i = 0; i < records.size(); i++) {
      Rec r = records.get(i);
      if (r.key == null) {
        task.deadLetter(this, r, "the key is null; a table has no place for it");
      } else if (skips(r)) {
        task.skip(this, r);
      } else {
        take(r);
      }
    }
    finish();
    end();
  }

  private void take(Rec r) {
    Entry e = entry(task.keyBytes(r, keys));
    Object old = e.value;
    long time;
    try {
      time = timestampOf(e, r);
      if (!apply(e, r)) {
        return;
      }
      if (eachValue()) {
        e.value = e.state == null ? null : valueOf(e.state);
      }
    } catch (Exception failure) {
      task.deadLetter(this, r, Reasons.of(failure));
      return;
    }
    e.timestamp = time;
    if (e.last == null) {
      changed.add(e);
    }
    e.last = r;
    if (readByOthers) {
      e.version(r.order);
    }
    if (spec.every()) {
      emit(r.change(old, e.value, time));
    } else if (hasCopies()) {
      emit(r.change(old, e.value, time), true);
    }
  }

  private boolean eachValue() {
    return spec.every() || readByOthers || hasCopies();
  }

  private Entry entry(byte[] key) {
    return batch.computeIfAbsent(new Bytes(key), k -> load(key));
  }

  private Entry load(byte[] key) {
    byte[] stored = store.get(key);
    if (stored == null) {
      return new Entry(key, null, Long.MIN_VALUE, null);
    }
    Object state = unpacked(states.decode(stored, 8, stored.length - 8));
    boolean asked = eachValue() || hasConsumers();
    return new Entry(key, state, ByteBuffer.wrap(stored).getLong(), asked ? valueOf(state) : null);
  }

  private void finish() {
    if (!spec.every()) {
      changed.sort((a, b) -> Order.compare(a.last.order, b.last.order));
    }
    kept.stream().filter(e -> e.last == null).distinct().forEach(this::write);
    for (Entry e : changed) {
      if (!eachValue()) {
        e.value = e.state == null ? null : valueOf(e.state);
      }
      write(e);
      boolean nothing = !e.existed && e.value == null;
      if (!spec.every() && hasConsumers() && !nothing) {
        emit(e.last.change(e.before, e.value, e.timestamp), false);
      }
      if (changelog != null && !nothing && tells()) {
        task.output(e.last, keys, changelog.row(e.last.key, e.value, e.timestamp));
      }
    }
  }

  private void write(Entry e) {
    if (e.state == null) {
      store.remove(e.key);
      return;
    }
    byte[] row = states.encode(packed(e.state));
    byte[] out = new byte[8 + row.length];
    ByteBuffer.wrap(out).putLong(e.timestamp).put(row);
    store.put(e.key, out);
  }

  @Override
  public final Stamped stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    return entry(keyBytes).asOf(order);
  }

  @Override
  public final void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> visitor) {
    Object value = valueOf(unpacked(states.decode(stored, 8, stored.length - 8)));
    if (value != null) {
      visitor.accept(keys.decode(key), value);
    }
  }
}
