package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A hash table by the bytes of keys. Each entry is its own link in the table, without further objects: with a million keys in a batch, a map
 * with nodes of its own takes as long as the state.
 */
public final class KeyTable<E extends KeyTable.Keyed> {
  private static final int FIRST_SIZE = 16;
  private Keyed[] table = new Keyed[FIRST_SIZE];
  private int size;

  /** An entry with a key; it can be in one table only. */
  public abstract static class Keyed {
    public final byte[] key;
    private final int hash;
    private Keyed next;

    /**
     * @param hash the result of {@link KeyTable#hash} for the key
     */
    protected Keyed(byte[] key, int hash) {
      this.key = key;
      this.hash = hash;
    }
  }

  /** The hash of {@link Bytes}, with its upper half mixed into the lower one: keys of one task were chosen by the same hash, and its low bits are alike. */
  public static int hash(byte[] key) {
    int hash = Bytes.hash(key);
    return hash ^ hash >>> 16;
  }

  public int size() {
    return size;
  }

  /** The entry with the key, or null. */
  @SuppressWarnings("unchecked")
  public E find(byte[] key, int hash) {
    Keyed each = table[hash & table.length - 1];
    while (each != null && !(each.hash == hash && Arrays.equals(each.key, key))) {
      each = each.next;
    }
    return (E) each;
  }

  /** Adds an entry whose key is not in the table; returns it. */
  public E add(E added) {
    if (++size > table.length) {
      grow();
    }
    link(added);
    return added;
  }

  private void link(Keyed one) {
    int at = one.hash & table.length - 1;
    one.next = table[at];
    table[at] = one;
  }

  private void grow() {
    Keyed[] old = table;
    table = new Keyed[old.length * 2];
    for (Keyed chain : old) {
      for (Keyed each = chain; each != null;) {
        Keyed next = each.next;
        link(each);
        each = next;
      }
    }
  }

  /** Passes all entries to a visitor, in no order. */
  @SuppressWarnings("unchecked")
  public void forEach(Consumer<E> visitor) {
    for (Keyed chain : table) {
      for (Keyed each = chain; each != null; each = each.next) {
        visitor.accept((E) each);
      }
    }
  }

  /** Forgets all. */
  public void clear() {
    if (size > 0) {
      table = new Keyed[FIRST_SIZE];
      size = 0;
    }
  }
}
