package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.RowExtra;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.RowCodec;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The windows of a table: each is read once per batch.
 *
 * <p>A key is a group of the store, so that its windows can be read together. The stored bytes are the timestamp (8) and the state as
 * a row; behind it, if there are any, the headers of a window that is emitted when it closes.
 */
final class WindowStore {
  private final KeyValueStore store;
  private final RowCodec keys;
  private final RowCodec states;
  private final Folder folder;
  private final Map<Bytes, KeyWindows> batch = new HashMap<>();

  WindowStore(KeyValueStore store, RowCodec keys, RowCodec states, Folder folder) {
    this.store = store;
    this.keys = keys;
    this.states = states;
    this.folder = folder;
  }

  /** The beginning of a task's batch. */
  void begin() {
    batch.clear();
  }

  KeyWindows of(byte[] bytes, Object key) {
    return batch.computeIfAbsent(new Bytes(bytes), b -> new KeyWindows(bytes, key));
  }

  KeyWindows of(Object key) {
    return of(keys.encode(key), key);
  }

  KeyWindows of(byte[] bytes) {
    return of(bytes, keys.decode(bytes));
  }

  /** The window as it is now, whether it exists or not. */
  WindowEntry get(KeyWindows of, long start, long end) {
    WindowEntry e = of.windows.get(start);
    if (e == null) {
      e = entry(of, start, end, of.allLoaded ? null : store.get(of.bytes, WindowKeys.encode(start, end)));
    }
    return e;
  }

  private WindowEntry entry(KeyWindows of, long start, long end, byte[] stored) {
    WindowEntry e;
    if (stored == null) {
      e = new WindowEntry(of, start, end, null, Long.MIN_VALUE);
    } else {
      e = new WindowEntry(of, start, end, state(stored), ByteBuffer.wrap(stored).getLong());
      e.headers = Envelope.decodeHeaders(RowExtra.of(stored));
    }
    of.windows.put(start, e);
    return e;
  }

  private Object state(byte[] stored) {
    return folder.unpack(states.decode(stored, 8, RowExtra.rowLength(stored) - 8));
  }

  /** Loads all windows of the key. */
  void load(KeyWindows of) {
    if (of.allLoaded) {
      return;
    }
    for (KeyValueStore.Pair pair : store.scan(of.bytes)) {
      long start = WindowKeys.startOf(pair.key());
      if (!of.windows.containsKey(start)) {
        entry(of, start, WindowKeys.endOf(pair.key()), pair.value());
      }
    }
    of.allLoaded = true;
  }

  /** Writes the window as it is now. */
  void write(WindowEntry e) {
    if (e.state == null) {
      remove(e);
      return;
    }
    byte[] row = states.encode(e.timestamp, folder.pack(e.state));
    store.put(e.of.bytes, WindowKeys.encode(e.start, e.end), RowExtra.with(row, Envelope.encodeHeaders(e.headers)));
  }

  void remove(WindowEntry e) {
    if (e.existed) {
      store.remove(e.of.bytes, WindowKeys.encode(e.start, e.end));
    }
  }

  /** A copy of a state. */
  Object copy(Object state) {
    return folder.copy(state, states);
  }

  Object storedKey(byte[] group, byte[] window) {
    return WindowKeys.of(keys.decode(group), WindowKeys.startOf(window), WindowKeys.endOf(window));
  }

  Object storedValue(byte[] stored) {
    return folder.valueOf(state(stored));
  }
}
