package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.stores.KeyTable;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.RowCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The entries of a table that a batch touches; each is read once and written once, all together.
 *
 * <p>Entries are allocated and used in the order in which they came, so that neighbours lie together in memory. The stored bytes are the
 * timestamp (8) and the state as a row.
 */
final class BatchEntries {
  private static final int TIME = 8;
  private final KeyValueStore store;
  private final RowCodec states;
  private KeyTable<Entry> byKey = new KeyTable<>();
  private final List<Entry> entries = new ArrayList<>();
  private int read;

  BatchEntries(KeyValueStore store, RowCodec states) {
    this.store = store;
    this.states = states;
  }

  /** The beginning of a batch. */
  void clear() {
    byKey.clear();
    entries.clear();
    read = 0;
  }

  /** Takes over the entries of another instance with all changes that it has not written; that one is cleared. */
  void adopt(BatchEntries other) {
    clear();
    KeyTable<Entry> empty = byKey;
    byKey = other.byKey;
    other.byKey = empty;
    entries.addAll(other.entries);
    other.clear();
    read = entries.size();
    entries.forEach(e -> e.changed = e.last != null);
  }

  /** The entry of a key; a new one must be read before it is used. */
  Entry of(byte[] key) {
    int hash = KeyTable.hash(key);
    Entry known = byKey.find(key, hash);
    if (known == null) {
      known = byKey.add(new Entry(key, hash));
      entries.add(known);
    }
    return known;
  }

  /** Reads new entries; {@code form} makes a state of its row, {@code value} the value of a state. */
  void read(Function<Object, Object> form, Function<Object, Object> value) {
    List<Entry> unread = entries.subList(read, entries.size());
    read = entries.size();
    List<byte[]> found = store.getAll(keysOf(unread));
    for (int i = 0; i < unread.size(); i++) {
      byte[] stored = found.get(i);
      if (stored != null) {
        Object state = form.apply(stateIn(stored));
        unread.get(i).was(state, ByteBuffer.wrap(stored).getLong(), value.apply(state));
      }
    }
  }

  private static List<byte[]> keysOf(List<Entry> entries) {
    List<byte[]> out = new ArrayList<>(entries.size());
    entries.forEach(e -> out.add(e.key));
    return out;
  }

  /** The row of a state in its stored form. */
  Object stateIn(byte[] stored) {
    return states.decode(stored, TIME, stored.length - TIME);
  }

  /** Writes changed entries; {@code form} makes a row of a state. */
  void write(Function<Object, Object> form) {
    List<byte[]> keys = new ArrayList<>(entries.size());
    List<byte[]> values = new ArrayList<>(entries.size());
    eachChanged(e -> {
      keys.add(e.key);
      values.add(e.state == null ? null : states.encode(e.timestamp, form.apply(e.state)));
    });
    store.putAll(keys, values);
  }

  /** Passes changed entries to a visitor and marks them as written. */
  void eachChanged(Consumer<Entry> visitor) {
    for (Entry e : entries) {
      if (e.changed) {
        e.changed = false;
        visitor.accept(e);
      }
    }
  }
}
