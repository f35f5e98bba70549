package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** State of the task whose turn it is: bytes by key, or by key within a group that can be read as a whole. */
public interface KeyValueStore {
  /** These keys are going to be read: a store may read them at once. */
  default void fetch(Collection<byte[]> keys) {}

  /** Nothing of what was read at once will be asked for any more. */
  default void forget() {}

  byte[] get(byte[] key);

  /** The values of many keys, in their order; null for what is not there. */
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
