package io.holdfast.kernel.task;

import io.holdfast.kernel.source.RawHeader;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * What waits before an exchange, by key.
 *
 * <p>A group holds on to nothing of a record but its key, and stays for the next batch: few objects live for long, and a record
 * of a known key makes none.
 */
final class Groups {
  private static final int MOST = 1 << 17;
  private Group[] table = new Group[1 << 10];
  private int size;
  private int used;
  private long taken;

  /** The records of one key. */
  static final class Group {
    private final byte[] keyBytes;
    private final Object key;
    private final int hash;
    private Group next;
    Object state;
    private byte[] order;
    private long time;
    private RawHeader[] headers;

    private Group(byte[] keyBytes, Object key, int hash) {
      this.keyBytes = keyBytes;
      this.key = key;
      this.hash = hash;
    }

    /** The last record in the total order, without its value and with the latest time of all. */
    Rec last() {
      Rec out = new Rec(order, time, key, null, null, headers);
      out.keyBytes = keyBytes;
      return out;
    }

    private void note(Rec r) {
      time = order == null ? r.timestamp : Math.max(time, r.timestamp);
      if (order == null || order.length != r.order.length) {
        order = order == null || Order.compare(order, r.order) < 0 ? r.order.clone() : order;
      } else if (Order.compare(order, r.order) < 0) {
        System.arraycopy(r.order, 0, order, 0, order.length);
      } else {
        return;
      }
      if (headers != r.headers) {
        headers = r.headers;
      }
    }
  }

  /** The group of a key; a new one if there is none. */
  Group of(byte[] keyBytes, Rec r) {
    int hash = spread(Arrays.hashCode(keyBytes));
    for (Group g = table[hash & table.length - 1]; g != null; g = g.next) {
      if (g.hash == hash && Arrays.equals(g.keyBytes, keyBytes)) {
        return g;
      }
    }
    Group added = new Group(keyBytes, r.key, hash);
    if (++size > table.length) {
      grow();
    }
    link(added);
    return added;
  }

  private static int spread(int hash) {
    int mixed = hash * 0x9E3779B9;
    return mixed ^ mixed >>> 16;
  }

  private void link(Group g) {
    int at = g.hash & table.length - 1;
    g.next = table[at];
    table[at] = g;
  }

  private void grow() {
    Group[] old = table;
    table = new Group[old.length * 2];
    for (Group chain : old) {
      for (Group g = chain; g != null;) {
        Group next = g.next;
        link(g);
        g = next;
      }
    }
  }

  /** Notes that the group's state has the record in it. */
  void took(Group group, Rec r) {
    used += group.order == null ? 1 : 0;
    taken++;
    group.note(r);
  }

  boolean isFull() {
    return size >= MOST;
  }

  /** Whether there are many fewer groups than records. */
  boolean areWorthwhile() {
    return used < taken * 0.7;
  }

  /** Gives every group that has records; then all are empty, and those that are hardly used are gone. */
  void drain(Consumer<Group> out) {
    for (Group chain : table) {
      for (Group g = chain; g != null; g = g.next) {
        if (g.order != null) {
          out.accept(g);
          g.order = null;
          g.headers = null;
        }
        g.state = null;
      }
    }
    if (size >= MOST || used < size / 2) {
      table = new Group[1 << 10];
      size = 0;
    }
    used = 0;
    taken = 0;
  }
}
