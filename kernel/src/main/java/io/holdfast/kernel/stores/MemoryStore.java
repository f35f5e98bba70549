package io.holdfast.kernel.stores;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** State on the heap, one map per task, with uncommitted changes apart from committed ones. */
public final class MemoryStore implements KeyValueStore {
  private static final byte[] NO_GROUP = {};
  private final Map<Short, TreeMap<byte[], byte[]>> committed = new HashMap<>();
  private final Map<Short, TreeMap<byte[], byte[]>> pending = new HashMap<>();
  private short task;

  /** Sets the current task. */
  public void use(short label) {
    task = label;
  }

  @Override
  public byte[] get(byte[] key) {
    return get(NO_GROUP, key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    put(NO_GROUP, key, value);
  }

  @Override
  public void remove(byte[] key) {
    remove(NO_GROUP, key);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    byte[] storedKey = storedKey(group, key);
    TreeMap<byte[], byte[]> mine = pending.get(task);
    if (mine != null && mine.containsKey(storedKey)) {
      return mine.get(storedKey);
    }
    TreeMap<byte[], byte[]> old = committed.get(task);
    return old == null ? null : old.get(storedKey);
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    pending.computeIfAbsent(task, t -> map()).put(storedKey(group, key), value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    put(group, key, null);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    byte[] first = storedKey(group, NO_GROUP);
    TreeMap<byte[], byte[]> found = map();
    for (TreeMap<byte[], byte[]> entries : Arrays.asList(committed.get(task), pending.get(task))) {
      if (entries != null) {
        for (Map.Entry<byte[], byte[]> e : entries.tailMap(first, true).entrySet()) {
          if (!Arrays.equals(first, 0, first.length, e.getKey(), 0, Math.min(first.length, e.getKey().length))) {
            break;
          }
          found.put(e.getKey(), e.getValue());
        }
      }
    }
    List<Pair> out = new ArrayList<>();
    found.forEach((storedKey, value) -> {
      if (value != null) {
        out.add(new Pair(Arrays.copyOfRange(storedKey, first.length, storedKey.length), value));
      }
    });
    return out;
  }

  /** The length of the group, the group, the key. */
  private static byte[] storedKey(byte[] group, byte[] key) {
    return ByteBuffer.allocate(4 + group.length + key.length).putInt(group.length).put(group).put(key).array();
  }

  private static TreeMap<byte[], byte[]> map() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Commits what was written since the last commit. */
  public void commit() {
    pending.forEach((label, changes) -> {
      TreeMap<byte[], byte[]> rows = committed.computeIfAbsent(label, t -> map());
      changes.forEach((k, v) -> {
        if (v == null) {
          rows.remove(k);
        } else {
          rows.put(k, v);
        }
      });
    });
    pending.clear();
  }

  /** Discards what was written since the last commit. */
  public void rollback() {
    pending.clear();
  }

  /** Takes an entry; without a group the group is empty. */
  public interface Visitor {
    void entry(byte[] group, byte[] key, byte[] value);
  }

  /** Every committed entry of every task. */
  public void forEach(Visitor visitor) {
    committed.values().forEach(m -> m.forEach((storedKey, value) -> {
      int end = 4 + ByteBuffer.wrap(storedKey).getInt();
      visitor.entry(Arrays.copyOfRange(storedKey, 4, end), Arrays.copyOfRange(storedKey, end, storedKey.length), value);
    }));
  }
}
