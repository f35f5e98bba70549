package io.holdfast.kernel.task;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.KeyTable;
import java.util.function.Consumer;

/**
 * The records that are combined before an exchange, by key.
 *
 * <p>A group refers to nothing of a record but its key, and is reused in the next batch: few objects live for long, and a record
 * of a known key allocates none.
 */
final class CombinerGroups {
  private static final int MAX_GROUPS = 1 << 17;
  private final KeyTable<Group> table = new KeyTable<>();
  private int used;
  private long records;

  /** The records of one key. */
  static final class Group extends KeyTable.Keyed {
    private final Object of;
    Object state;
    private byte[] order;
    private long time;
    private RawHeader[] headers;

    /**
     * @param of the key itself
     */
    private Group(byte[] bytes, int hash, Object of) {
      super(bytes, hash);
      this.of = of;
    }

    /** The last record in the total order, without its value and with the latest time of all. */
    StreamRecord last() {
      StreamRecord out = new StreamRecord(order, time, of, null, null, headers);
      out.keyBytes = key;
      return out;
    }

    private void note(StreamRecord r) {
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
  Group of(byte[] keyBytes, StreamRecord r) {
    int hash = KeyTable.hash(keyBytes);
    Group known = table.find(keyBytes, hash);
    return known == null ? table.add(new Group(keyBytes, hash, r.key)) : known;
  }

  /** Notes that the group's state has the record in it. */
  void added(Group group, StreamRecord r) {
    used += group.order == null ? 1 : 0;
    records++;
    group.note(r);
  }

  boolean isFull() {
    return table.size() >= MAX_GROUPS;
  }

  /** Whether there are many fewer groups than records. */
  boolean areWorthwhile() {
    return used < records * 0.7;
  }

  /** Hands out every group that has records and empties it; groups that are hardly used are dropped. */
  void drain(Consumer<Group> out) {
    table.forEach(g -> {
      if (g.order != null) {
        out.accept(g);
        g.order = null;
        g.headers = null;
      }
      g.state = null;
    });
    if (isFull() || used < table.size() / 2) {
      table.clear();
    }
    used = 0;
    records = 0;
  }
}
