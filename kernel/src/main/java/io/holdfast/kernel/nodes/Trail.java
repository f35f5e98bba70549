package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.KeptRecords;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.Rec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The records of one key that a trailing window may still need, by time: a group of the store, read once per batch. */
final class Trail {
  /** Where the time is kept for which the index has an entry on behalf of the key. */
  private static final byte[] AWAITED = {0};
  private final KeyValueStore store;
  private final KeptRecords codec;
  private final byte[] key;
  private final List<Rec> records = new ArrayList<>();
  private long awaited = Long.MIN_VALUE;

  Trail(KeyValueStore store, KeptRecords codec, byte[] keyBytes, Object key) {
    this.store = store;
    this.codec = codec;
    this.key = keyBytes;
    for (KeyValueStore.Pair pair : store.scan(keyBytes)) {
      if (pair.key().length == AWAITED.length) {
        awaited = ByteBuffer.wrap(pair.value()).getLong();
      } else {
        records.add(codec.decode(pair.value(), key));
      }
    }
  }

  /** The records later than {@code from} and not later than this one, and this one itself. */
  List<Rec> upTo(Rec r, long from) {
    List<Rec> out = new ArrayList<>(records.subList(firstAfter(from), place(r)));
    out.add(r);
    return out;
  }

  void add(Rec r) {
    records.add(place(r), r);
    store.put(key, name(r), codec.encode(r));
  }

  /** Forgets what is not later than this time. */
  void forget(long time) {
    List<Rec> gone = records.subList(0, firstAfter(time));
    gone.forEach(r -> store.remove(key, name(r)));
    gone.clear();
  }

  private int firstAfter(long time) {
    int i = 0;
    while (i < records.size() && records.get(i).timestamp <= time) {
      i++;
    }
    return i;
  }

  private int place(Rec r) {
    int i = records.size();
    while (i > 0 && isBefore(r, records.get(i - 1))) {
      i--;
    }
    return i;
  }

  private static boolean isBefore(Rec a, Rec b) {
    return a.timestamp < b.timestamp || a.timestamp == b.timestamp && Order.compare(a.order, b.order) < 0;
  }

  private static byte[] name(Rec r) {
    return ByteBuffer.allocate(8 + r.order.length).putLong(r.timestamp ^ Long.MIN_VALUE).put(r.order).array();
  }

  boolean isEmpty() {
    return records.isEmpty();
  }

  long latest() {
    return records.get(records.size() - 1).timestamp;
  }

  long awaited() {
    return awaited;
  }

  void await(long time) {
    awaited = time;
    store.put(key, AWAITED, ByteBuffer.allocate(8).putLong(time).array());
  }

  void awaitNothing() {
    awaited = Long.MIN_VALUE;
    store.remove(key, AWAITED);
  }
}
