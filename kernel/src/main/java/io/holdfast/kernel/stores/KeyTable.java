package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Things by the bytes of their keys. Each is its own link in the table, so that there is nothing between: with a million keys in a
 * batch, a map of its own objects takes as long as the state.
 */
public final class KeyTable<E extends KeyTable.Keyed> {
  private static final int FIRST_SIZE = 16;
  private Keyed[] table = new Keyed[FIRST_SIZE];
  private int size;

  /** What has a key; it can be in one table only. */
  public abstract static class Keyed {
    public final byte[] key;
    private final int hash;
    private Keyed next;

    /**
     * @param hash what {@link KeyTable#hash} says of the key
     */
    protected Keyed(byte[] key, int hash) {
      this.key = key;
      this.hash = hash;
    }
  }

  /** As {@link Bytes} has it, with its upper half in the lower one: keys of one task were chosen by the same hash, and end alike. */
  public static int hash(byte[] key) {
    int hash = Bytes.hash(key);
    return hash ^ hash >>> 16;
  }

  public int size() {
    return size;
  }

  /** What has the key, or null. */
  @SuppressWarnings("unchecked")
  public E find(byte[] key, int hash) {
    Keyed each = table[hash & table.length - 1];
    while (each != null && !(each.hash == hash && Arrays.equals(each.key, key))) {
      each = each.next;
    }
    return (E) each;
  }

  /** Adds what has a key that is not there; gives it. */
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

  /** Shows all, in no order. */
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
