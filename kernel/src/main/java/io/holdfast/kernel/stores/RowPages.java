package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.List;

/**
 * Rows by key in pages of memory outside of the heap; when it is full, the page that was filled first is cleared and reused.
 *
 * <p>A value that does not fit into its row gets a new one; the space of the old one is unused until its page is cleared.
 */
final class RowPages {
  private static final int PAGE = 1 << 20;
  private static final int PLACES = PAGE / MemoryRow.WORD;
  /** How many rows of the usual size fit into the processor's cache. */
  private static final int AT_ONCE = 500;
  private static final int MOST_PAGES = Integer.MAX_VALUE / PLACES;
  private final MemoryShare share;
  private final RowIndex index;
  private long[] pages = new long[1];
  /** The filled bytes of each page. */
  private int[] filled = new int[1];
  private int count;
  /** The page that is being filled. */
  private int current;
  /** Unused; it keeps the compiler from removing the reads. */
  private long touched;

  RowPages(MemoryShare share) {
    this.share = share;
    this.index = new RowIndex(share);
  }

  /** The value of a key, or null. */
  byte[] get(byte[] task, byte[] key) {
    return get(task, key, MemoryRow.hash(task, key));
  }

  private byte[] get(byte[] task, byte[] key, int hash) {
    int slot = find(task, key, hash);
    return slot < 0 ? null : MemoryRow.value(rowIn(slot));
  }

  /** Adds the values of keys, null for those that are not in the cache; returns how many these are. */
  int getAll(byte[] task, List<byte[]> keys, List<byte[]> out) {
    int missing = 0;
    for (int from = 0; from < keys.size(); from += AT_ONCE) {
      List<byte[]> some = keys.subList(from, Math.min(keys.size(), from + AT_ONCE));
      int[] hashes = touch(task, some);
      for (int i = 0; i < hashes.length; i++) {
        byte[] value = get(task, some.get(i), hashes[i]);
        missing += value == null ? 1 : 0;
        out.add(value);
      }
    }
    return missing;
  }

  /** Sets values; null removes a key. False if rows were evicted or could not be added. */
  boolean putAll(byte[] task, List<byte[]> keys, List<byte[]> values) {
    boolean all = !shrink();
    for (int from = 0; from < keys.size(); from += AT_ONCE) {
      int to = Math.min(keys.size(), from + AT_ONCE);
      int[] hashes = touch(task, keys.subList(from, to));
      for (int i = from; i < to; i++) {
        all &= put(task, keys.get(i), values.get(i), hashes[i - from]);
      }
    }
    return all;
  }

  /** The hashes of keys. Also touches their rows, so that the processor loads them at the same time. */
  private int[] touch(byte[] task, List<byte[]> keys) {
    int[] hashes = new int[keys.size()];
    int[] places = new int[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = MemoryRow.hash(task, keys.get(i));
    }
    for (int i = 0; i < hashes.length; i++) {
      places[i] = index.near(hashes[i]);
    }
    for (int i = 0; i < hashes.length; i++) {
      touched += places[i] < 0 ? 0 : MemoryRow.room(rowAt(places[i]));
    }
    return hashes;
  }

  private int find(byte[] task, byte[] key, int hash) {
    int slot = index.first(hash);
    while (slot >= 0 && !MemoryRow.is(rowIn(slot), task, key)) {
      slot = index.after(slot, hash);
    }
    return slot;
  }

  private long rowIn(int slot) {
    return rowAt(index.placeIn(slot));
  }

  private long rowAt(int place) {
    return pages[place / PLACES] + (long) (place % PLACES) * MemoryRow.WORD;
  }

  /** Sets a value; null removes the key. False if rows were evicted or this one could not be added. */
  boolean put(byte[] task, byte[] key, byte[] value) {
    return put(task, key, value, MemoryRow.hash(task, key));
  }

  private boolean put(byte[] task, byte[] key, byte[] value, int hash) {
    int slot = find(task, key, hash);
    if (value == null) {
      remove(slot);
      return true;
    }
    int room = MemoryRow.room(task, key, value);
    if (slot >= 0 && room <= MemoryRow.room(rowIn(slot))) {
      MemoryRow.change(rowIn(slot), value);
      return true;
    }
    remove(slot);
    if (room > MemoryRow.LARGEST) {
      return false;
    }
    int before = index.size();
    if (!makeRoom(room)) {
      return false;
    }
    MemoryRow.write(pages[current] + filled[current], room, task, key, value);
    index.add(hash, current * PLACES + filled[current] / MemoryRow.WORD);
    filled[current] += room;
    return index.size() > before;
  }

  private void remove(int slot) {
    if (slot >= 0) {
      index.remove(slot);
    }
  }

  /** Makes room in the current page and in the index; false if there is no memory at all. */
  private boolean makeRoom(int room) {
    if (count == 0 || filled[current] + room > PAGE) {
      turn();
    }
    while (count > 0 && index.isFull() && !index.grow()) {
      if (index.size() == 0) {
        return false;
      }
      current = following();
      empty(current);
    }
    return count > 0;
  }

  /** Switches to another page: a new one, if the share allows it. */
  private void turn() {
    shrink();
    long added = count < MOST_PAGES ? share.take(PAGE) : 0;
    if (added != 0) {
      append(added);
    } else if (count > 0) {
      current = following();
      empty(current);
    }
  }

  private int following() {
    return (current + 1) % count;
  }

  private void append(long page) {
    if (count == pages.length) {
      pages = Arrays.copyOf(pages, 2 * count);
      filled = Arrays.copyOf(filled, 2 * count);
    }
    current = count++;
    pages[current] = page;
    filled[current] = 0;
  }

  /** Frees pages beyond the current share; returns whether there were any. */
  private boolean shrink() {
    int before = count;
    while (count > 1 && share.isTooMuch()) {
      empty(--count);
      share.give(pages[count]);
      current = Math.min(current, count - 1);
    }
    return count < before;
  }

  /** Evicts the rows of a page. */
  private void empty(int page) {
    for (int at = 0; at < filled[page]; at += MemoryRow.room(pages[page] + at)) {
      forget(page * PLACES + at / MemoryRow.WORD, MemoryRow.hash(pages[page] + at));
    }
    filled[page] = 0;
  }

  private void forget(int place, int hash) {
    int slot = index.first(hash);
    while (slot >= 0 && index.placeIn(slot) != place) {
      slot = index.after(slot, hash);
    }
    remove(slot);
  }
}
