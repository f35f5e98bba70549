package io.holdfast.kernel.stores;

import java.util.LinkedHashMap;
import java.util.Map;

/** A store during one batch: each key is read once and, if it changed, written once. */
public final class BatchCache {
  private final KeyValueStore store;
  private final Map<Bytes, Slot> slots = new LinkedHashMap<>();

  private static final class Slot {
    byte[] value;
    boolean changed;
  }

  public BatchCache(KeyValueStore store) {
    this.store = store;
  }

  public byte[] get(byte[] key) {
    return slot(key).value;
  }

  /** Sets a value; null removes the key. */
  public void put(byte[] key, byte[] value) {
    Slot slot = slots.computeIfAbsent(new Bytes(key), k -> new Slot());
    slot.value = value;
    slot.changed = true;
  }

  private Slot slot(byte[] key) {
    return slots.computeIfAbsent(new Bytes(key), k -> {
      Slot read = new Slot();
      read.value = store.get(key);
      return read;
    });
  }

  /** The end of the batch: writes the changes and clears everything. */
  public void flush() {
    slots.forEach((key, slot) -> {
      if (slot.changed && slot.value == null) {
        store.remove(key.bytes());
      } else if (slot.changed) {
        store.put(key.bytes(), slot.value);
      }
    });
    slots.clear();
  }
}
