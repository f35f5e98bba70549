package io.holdfast.kernel.stores;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A store that reads each entry at most once between {@code remember} and {@code forget}; writes go through.
 *
 * <p>Otherwise it caches nothing: the next batch may be that of another task, and this one may run elsewhere.
 */
public final class ReadOnceStore implements KeyValueStore {
  private static final byte[] ABSENT = {};
  private final KeyValueStore store;
  private final Map<Bytes, byte[]> ungrouped = new HashMap<>();
  private final Map<Bytes, Map<Bytes, byte[]>> grouped = new HashMap<>();
  private final Map<Bytes, List<Pair>> scanned = new HashMap<>();
  private boolean remembers;

  public ReadOnceStore(KeyValueStore store) {
    this.store = store;
  }

  /** Caches reads until {@code forget}. */
  public void remember() {
    remembers = true;
  }

  @Override
  public void fetch(Collection<byte[]> keys) {
    List<byte[]> unknown = keys.stream().filter(key -> !ungrouped.containsKey(new Bytes(key))).toList();
    if (!unknown.isEmpty()) {
      store.fetch(unknown);
    }
  }

  @Override
  public byte[] get(byte[] key) {
    return !remembers ? store.get(key) : present(ungrouped.computeIfAbsent(new Bytes(key), k -> orAbsent(store.get(key))));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    store.put(key, value);
    ungrouped.replace(new Bytes(key), value);
  }

  @Override
  public void remove(byte[] key) {
    store.remove(key);
    ungrouped.replace(new Bytes(key), ABSENT);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    return !remembers ? store.get(group, key) : present(grouped.computeIfAbsent(new Bytes(group), g -> new HashMap<>())
        .computeIfAbsent(new Bytes(key), k -> orAbsent(store.get(group, key))));
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    store.put(group, key, value);
    changed(group, key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    store.remove(group, key);
    changed(group, key, ABSENT);
  }

  private void changed(byte[] group, byte[] key, byte[] value) {
    Bytes of = new Bytes(group);
    scanned.remove(of);
    Map<Bytes, byte[]> known = grouped.get(of);
    if (known != null) {
      known.replace(new Bytes(key), value);
    }
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return !remembers ? store.scan(group) : scanned.computeIfAbsent(new Bytes(group), g -> store.scan(group));
  }

  @Override
  public void forget() {
    remembers = false;
    ungrouped.clear();
    grouped.clear();
    scanned.clear();
  }

  private static byte[] orAbsent(byte[] value) {
    return value == null ? ABSENT : value;
  }

  private static byte[] present(byte[] value) {
    return value == ABSENT ? null : value;
  }
}
