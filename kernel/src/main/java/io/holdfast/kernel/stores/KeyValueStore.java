package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** State of the current task: bytes by key, or by key within a group that can be read as a whole. */
public interface KeyValueStore {
  /** Prefetches these keys, if the store can read them at once. */
  default void fetch(Collection<byte[]> keys) {}

  /** Drops prefetched values. */
  default void forget() {}

  byte[] get(byte[] key);

  /** The values of many keys, in their order; null for keys that are not there. */
  default List<byte[]> getAll(List<byte[]> keys) {
    fetch(keys);
    List<byte[]> out = new ArrayList<>(keys.size());
    keys.forEach(key -> out.add(get(key)));
    return out;
  }

  void put(byte[] key, byte[] value);

  /** Writes the values of many keys; null removes a key. */
  default void putAll(List<byte[]> keys, List<byte[]> values) {
    for (int i = 0; i < keys.size(); i++) {
      if (values.get(i) == null) {
        remove(keys.get(i));
      } else {
        put(keys.get(i), values.get(i));
      }
    }
  }

  void remove(byte[] key);

  byte[] get(byte[] group, byte[] key);

  void put(byte[] group, byte[] key, byte[] value);

  void remove(byte[] group, byte[] key);

  /** All entries of a group, by key. */
  List<Pair> scan(byte[] group);

  /** One entry of a group. */
  record Pair(byte[] key, byte[] value) {}
}
