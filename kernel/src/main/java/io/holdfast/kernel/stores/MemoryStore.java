package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** State on the heap, one map per task, with what was committed kept apart from what was not. */
public final class MemoryStore implements KeyValueStore {
  private final Map<Short, TreeMap<byte[], byte[]>> committed = new HashMap<>();
  private final Map<Short, TreeMap<byte[], byte[]>> pending = new HashMap<>();
  private short task;

  /** Says whose turn it is. */
  public void use(short label) {
    task = label;
  }

  @Override
  public byte[] get(byte[] key) {
    TreeMap<byte[], byte[]> mine = pending.get(task);
    if (mine != null && mine.containsKey(key)) {
      return mine.get(key);
    }
    TreeMap<byte[], byte[]> old = committed.get(task);
    return old == null ? null : old.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    pending.computeIfAbsent(task, t -> map()).put(key, value);
  }

  @Override
  public void remove(byte[] key) {
    put(key, null);
  }

  private static TreeMap<byte[], byte[]> map() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Keeps what was written since the last commit. */
  public void commit() {
    pending.forEach((label, changes) -> {
      TreeMap<byte[], byte[]> kept = committed.computeIfAbsent(label, t -> map());
      changes.forEach((k, v) -> {
        if (v == null) {
          kept.remove(k);
        } else {
          kept.put(k, v);
        }
      });
    });
    pending.clear();
  }

  /** Forgets what was written since the last commit. */
  public void rollback() {
    pending.clear();
  }

  /** Every committed entry of every task. */
  public void forEach(BiConsumer<byte[], byte[]> visitor) {
    committed.values().forEach(m -> m.forEach(visitor));
  }
}
