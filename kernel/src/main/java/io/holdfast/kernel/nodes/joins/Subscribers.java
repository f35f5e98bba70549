package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The subscribers of foreign keys during a batch: a group of the store is read once, if at all, and changes are written once. */
final class Subscribers {
  private final KeyValueStore store;
  private final Map<Bytes, Group> groups = new HashMap<>();

  /** The subscribers of one foreign key: the changes of this batch (null: unsubscribed), and all of them once they were read. */
  private static final class Group {
    final TreeMap<byte[], byte[]> changes = new TreeMap<>(Arrays::compareUnsigned);
    TreeMap<byte[], byte[]> all;
  }

  Subscribers(KeyValueStore store) {
    this.store = store;
  }

  /** Sets the value of a subscriber; null unsubscribes it. */
  void put(byte[] foreignKey, byte[] key, byte[] value) {
    Group group = group(foreignKey);
    group.changes.put(key, value);
    if (group.all != null) {
      apply(group.all, key, value);
    }
  }

  /** All subscribers of a foreign key, by their own keys. */
  Map<byte[], byte[]> of(byte[] foreignKey) {
    Group group = group(foreignKey);
    if (group.all == null) {
      group.all = new TreeMap<>(Arrays::compareUnsigned);
      store.scan(foreignKey).forEach(entry -> group.all.put(entry.key(), entry.value()));
      group.changes.forEach((key, value) -> apply(group.all, key, value));
    }
    return group.all;
  }

  private Group group(byte[] foreignKey) {
    return groups.computeIfAbsent(new Bytes(foreignKey), k -> new Group());
  }

  private static void apply(TreeMap<byte[], byte[]> all, byte[] key, byte[] value) {
    if (value == null) {
      all.remove(key);
    } else {
      all.put(key, value);
    }
  }

  /** The end of the batch: writes the changes and clears everything. */
  void flush() {
    groups.forEach((foreignKey, group) -> group.changes.forEach((key, value) -> {
      if (value == null) {
        store.remove(foreignKey.bytes(), key);
      } else {
        store.put(foreignKey.bytes(), key, value);
      }
    }));
    groups.clear();
  }
}
