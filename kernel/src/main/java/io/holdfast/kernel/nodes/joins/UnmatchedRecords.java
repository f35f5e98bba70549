package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeIndex;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** The records that wait for a partner, by the closing time of their windows. */
final class UnmatchedRecords {
  private final TimeIndex closing;
  private final long[] reach;

  /** A record that waits for a partner. */
  record Waiting(int side, long time, byte[] key) {}

  UnmatchedRecords(KeyValueStore times, long before, long after, long grace) {
    // A left record waits for later ones of the right side, a right record for later ones of the left.
    reach = new long[] {after + grace, before + grace};
    closing = TimeIndex.forWait(new PrefixedStore(times, 'c'), Math.max(reach[0], reach[1]));
  }

  void load() {
    closing.load();
  }

  void flush() {
    closing.flush();
  }

  void add(int side, long time, byte[] key) {
    ByteBuffer b = ByteBuffer.allocate(9 + key.length).putLong(time ^ Long.MIN_VALUE);
    closing.add(time + reach[side], b.put((byte) (1 - side)).put(key).array());
  }

  /** Returns and removes the records whose window closed before this time: by time, right before left, by key. */
  List<Waiting> closedBefore(long now) {
    return closing.pollUpTo(now - 1).stream().map(TimeIndex.Due::entry).sorted(Arrays::compareUnsigned).map(UnmatchedRecords::waiting).toList();
  }

  /** When the last window closes of those up to a time whose record still waits; Long.MIN_VALUE if there is none. */
  long lastClosing(long time, Predicate<Waiting> waits) {
    return TimeIndex.later(closing.lastUpTo(time - 1, due -> waits.test(waiting(due.entry()))), 1);
  }

  private static Waiting waiting(byte[] bytes) {
    long time = ByteBuffer.wrap(bytes).getLong() ^ Long.MIN_VALUE;
    return new Waiting(1 - bytes[8], time, Arrays.copyOfRange(bytes, 9, bytes.length));
  }
}
