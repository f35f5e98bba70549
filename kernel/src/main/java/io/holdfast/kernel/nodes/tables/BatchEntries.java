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
 * The keys of a table that a batch has to do with, each read once and written once, all together.
 *
 * <p>All that belongs to them is made and used in the order in which they came: what comes next then lies next in memory. The stored
 * bytes are the timestamp (8) and the state as a row.
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

  /** Takes over what another one has come to, with all that it has not written; that one begins anew. */
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

  /** The entry of a key; what is new has to be read before it is used. */
  Entry of(byte[] key) {
    int hash = KeyTable.hash(key);
    Entry known = byKey.find(key, hash);
    if (known == null) {
      known = byKey.add(new Entry(key, hash));
      entries.add(known);
    }
    return known;
  }

  /** Reads what is new; {@code form} tells a state from its row, {@code value} what others see of a state. */
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

  /** Writes what has changed since it was read or written; {@code form} makes a row of a state. */
  void write(Function<Object, Object> form) {
    List<byte[]> keys = new ArrayList<>(entries.size());
    List<byte[]> values = new ArrayList<>(entries.size());
    eachChanged(e -> {
      keys.add(e.key);
      values.add(e.state == null ? null : states.encode(e.timestamp, form.apply(e.state)));
    });
    store.putAll(keys, values);
  }

  /** Shows what has changed; then it counts as written. */
  void eachChanged(Consumer<Entry> visitor) {
    for (Entry e : entries) {
      if (e.changed) {
        e.changed = false;
        visitor.accept(e);
      }
    }
  }
}
