package io.holdfast.kernel.stores;

import org.apache.spark.unsafe.Platform;

/**
 * The addresses of rows by the hash of their keys: an open-addressing table outside of the heap, whose entries are half hash, half address.
 *
 * <p>It reads no row when it grows or removes an entry.
 */
final class RowIndex {
  private static final int FIRST_SLOTS = 1 << 10;
  private static final long EMPTY = 0;
  /** The highest load factor, in eighths. */
  private static final int FULL = 5;
  private final MemoryShare share;
  private long table;
  private int mask = -1;
  private int size;

  RowIndex(MemoryShare share) {
    this.share = share;
  }

  /** The first slot of a row with that hash, or -1. */
  int first(int hash) {
    return mask < 0 ? -1 : from(hash & mask, hash);
  }

  /** The next one. */
  int after(int slot, int hash) {
    return from(slot + 1 & mask, hash);
  }

  private int from(int begin, int hash) {
    for (int slot = begin; ; slot = slot + 1 & mask) {
      long entry = at(slot);
      if (entry == EMPTY) {
        return -1;
      }
      if (hash(entry) == hash) {
        return slot;
      }
    }
  }

  /** The address of the row with that hash, if it is in the first slot of a search; else -1. */
  int near(int hash) {
    if (mask < 0) {
      return -1;
    }
    long entry = at(hash & mask);
    return entry != EMPTY && hash(entry) == hash ? place(entry) : -1;
  }

  int placeIn(int slot) {
    return place(at(slot));
  }

  /** The number of rows. */
  int size() {
    return size;
  }

  /** Whether it has to grow before a row can be added. */
  boolean isFull() {
    return size >= (mask + 1L) / 8 * FULL;
  }

  /** Adds a row that is not there; the index must not be full. */
  void add(int hash, int place) {
    insert(entry(hash, place));
    size++;
  }

  private void insert(long entry) {
    int slot = hash(entry) & mask;
    while (at(slot) != EMPTY) {
      slot = slot + 1 & mask;
    }
    set(slot, entry);
  }

  /** Empties a slot, and moves displaced entries behind it. */
  void remove(int slot) {
    int free = slot;
    for (int next = slot + 1 & mask; at(next) != EMPTY; next = next + 1 & mask) {
      int wanted = hash(at(next)) & mask;
      if ((next - wanted & mask) >= (next - free & mask)) {
        set(free, at(next));
        free = next;
      }
    }
    set(free, EMPTY);
    size--;
  }

  /** Makes it larger; false if there is no memory for that. */
  boolean grow() {
    int before = mask + 1;
    int slots = before == 0 ? FIRST_SLOTS : before * 2;
    if (slots <= 0) {
      return false;
    }
    long bigger = share.take((long) slots * Long.BYTES);
    if (bigger == 0) {
      return false;
    }
    Platform.setMemory(bigger, (byte) 0, (long) slots * Long.BYTES);
    long old = table;
    table = bigger;
    mask = slots - 1;
    for (int slot = 0; slot < before; slot++) {
      long entry = Platform.getLong(null, old + (long) slot * Long.BYTES);
      if (entry != EMPTY) {
        insert(entry);
      }
    }
    if (before > 0) {
      share.give(old);
    }
    return true;
  }

  private long at(int slot) {
    return Platform.getLong(null, table + (long) slot * Long.BYTES);
  }

  private void set(int slot, long entry) {
    Platform.putLong(null, table + (long) slot * Long.BYTES, entry);
  }

  /** No entry is {@link #EMPTY}: addresses are counted from 1 here. */
  private static long entry(int hash, int place) {
    return (long) hash << Integer.SIZE | place + 1L & 0xFFFF_FFFFL;
  }

  private static int hash(long entry) {
    return (int) (entry >>> Integer.SIZE);
  }

  private static int place(long entry) {
    return (int) entry - 1;
  }
}
