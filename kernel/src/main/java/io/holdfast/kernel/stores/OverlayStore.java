package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A store whose changes are not written to the one under it, and can be discarded. */
public final class OverlayStore implements KeyValueStore {
  private final KeyValueStore under;
  private final Map<Bytes, byte[]> ungrouped = new HashMap<>();
  private final Map<Bytes, TreeMap<byte[], byte[]>> grouped = new HashMap<>();

  public OverlayStore(KeyValueStore under) {
    this.under = under;
  }

  @Override
  public void fetch(Collection<byte[]> keys) {
    under.fetch(keys);
  }

  @Override
  public byte[] get(byte[] key) {
    Bytes at = new Bytes(key);
    return ungrouped.containsKey(at) ? ungrouped.get(at) : under.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    ungrouped.put(new Bytes(key), value);
  }

  @Override
  public void remove(byte[] key) {
    ungrouped.put(new Bytes(key), null);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    TreeMap<byte[], byte[]> changes = grouped.get(new Bytes(group));
    return changes != null && changes.containsKey(key) ? changes.get(key) : under.get(group, key);
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    grouped.computeIfAbsent(new Bytes(group), g -> new TreeMap<>(Arrays::compareUnsigned)).put(key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    put(group, key, null);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    TreeMap<byte[], byte[]> changes = grouped.get(new Bytes(group));
    if (changes == null) {
      return under.scan(group);
    }
    TreeMap<byte[], byte[]> all = new TreeMap<>(Arrays::compareUnsigned);
    under.scan(group).forEach(pair -> all.put(pair.key(), pair.value()));
    all.putAll(changes);
    List<Pair> out = new ArrayList<>();
    all.forEach((key, value) -> {
      if (value != null) {
        out.add(new Pair(key, value));
      }
    });
    return out;
  }

  /** Discards all changes. */
  public void forget() {
    ungrouped.clear();
    grouped.clear();
  }
}
