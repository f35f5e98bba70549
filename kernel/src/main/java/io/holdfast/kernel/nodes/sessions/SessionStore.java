package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.RowCodec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The sessions of a table: those of a key are one row, read once and written once per batch. */
final class SessionStore {
  private final KeyValueStore store;
  private final RowCodec keys;
  private final RowCodec states;
  private final Folder folder;
  private final Map<Bytes, KeySessions> batch = new LinkedHashMap<>();

  SessionStore(KeyValueStore store, RowCodec keys, RowCodec states, Folder folder) {
    this.store = store;
    this.keys = keys;
    this.states = states;
    this.folder = folder;
  }

  /** The beginning of a task's batch. */
  void begin() {
    batch.clear();
  }

  /** Prefetches the sessions of these keys. */
  void fetch(List<byte[]> wanted) {
    store.fetch(wanted);
  }

  KeySessions of(byte[] bytes, Object key) {
    return batch.computeIfAbsent(new Bytes(bytes), b -> read(bytes, key));
  }

  KeySessions of(Object key) {
    return of(keys.encode(key), key);
  }

  KeySessions of(byte[] bytes) {
    return batch.computeIfAbsent(new Bytes(bytes), b -> read(bytes, keys.decode(bytes)));
  }

  private KeySessions read(byte[] bytes, Object key) {
    KeySessions out = new KeySessions(bytes, key);
    byte[] row = store.get(bytes);
    if (row != null) {
      out.read(row, states, folder);
    }
    return out;
  }

  /** A copy of a state. */
  Object copy(Object state) {
    return folder.copy(state, states);
  }

  /** Writes the keys that have changed. */
  void write() {
    for (KeySessions of : batch.values()) {
      if (of.changed && of.live.isEmpty()) {
        store.remove(of.bytes);
      } else if (of.changed) {
        store.put(of.bytes, of.row(states, folder));
      }
      of.changed = false;
    }
  }

  /** Passes the sessions of a row to a visitor. */
  void stored(byte[] key, byte[] row, BiConsumer<Object, Object> visitor) {
    KeySessions of = new KeySessions(key, keys.decode(key));
    of.read(row, states, folder);
    of.live.forEach(s -> visitor.accept(WindowKeys.of(of.key, s.start, s.end), folder.valueOf(s.state)));
  }
}
