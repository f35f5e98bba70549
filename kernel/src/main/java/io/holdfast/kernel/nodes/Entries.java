package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyOrder;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.RowCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The keys of a table that a batch has to do with, each read once and written once.
 *
 * <p>They are read together and written together, in the order of their bytes: neighbours lie in the same blocks of the store's
 * files, and a sorted list takes them faster. The stored bytes are the timestamp (8) and the state as a row.
 */
final class Entries {
  private static final int TIME = 8;
  private static final int AT_ONCE = 2_000;
  private final KeyValueStore store;
  private final RowCodec states;
  private final Map<Bytes, Entry> byKey = new HashMap<>();
  private final List<Entry> entries = new ArrayList<>();
  private int read;

  Entries(KeyValueStore store, RowCodec states) {
    this.store = store;
    this.states = states;
  }

  /** The beginning of a batch. */
  void clear() {
    byKey.clear();
    entries.clear();
    read = 0;
  }

  /** Takes over what another one has come to, with all that it has not written. */
  void adopt(Entries other) {
    clear();
    entries.addAll(other.entries);
    read = entries.size();
    entries.forEach(e -> {
      byKey.put(new Bytes(e.key), e);
      e.changed = e.last != null;
    });
  }

  /** The entry of a key; what is new has to be read before it is used. */
  Entry of(byte[] key) {
    return byKey.computeIfAbsent(new Bytes(key), k -> {
      Entry added = new Entry(key);
      entries.add(added);
      return added;
    });
  }

  /** Reads what is new; {@code form} tells a state from its row, {@code value} what others see of a state. */
  void read(Function<Object, Object> form, Function<Object, Object> value) {
    List<Entry> unread = entries.subList(read, entries.size());
    KeyOrder.sort(unread, e -> e.key);
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
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    eachChanged(e -> {
      keys.add(e.key);
      values.add(e.state == null ? null : states.encode(e.timestamp, form.apply(e.state)));
      if (keys.size() == AT_ONCE) {
        store.putAll(keys, values);
        keys.clear();
        values.clear();
      }
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
