package io.holdfast.kernel.task;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The place of a record in the one total order, as bytes that compare like the order itself.
 *
 * <p>Layout: running maximum of the source partition's timestamps (8), table before stream (1), topic (2), partition (4),
 * offset (8), key changes passed (1, with a bit for records that came back), then the emission path.
 */
public final class Order {
  private static final int RANK = 8;
  private static final int TOPIC = 9;
  private static final int PARTITION = 11;
  private static final int OFFSET = 15;
  private static final int HOPS = 23;
  private static final int LENGTH = 24;
  private static final int NO_TOPIC = 0xFFFF;
  /** In the byte of key changes: the record came back after it had been refused. */
  private static final int REPLAYED = 0x80;

  private Order() {}

  public static byte[] ofSource(long runningMaximum, boolean table, int topic, int partition, long offset) {
    ByteBuffer b = ByteBuffer.allocate(LENGTH);
    b.putLong(runningMaximum ^ Long.MIN_VALUE).put((byte) (table ? 0 : 1)).putShort((short) topic);
    return b.putInt(partition).putLong(offset).put((byte) 0).array();
  }

  /** The place of what a node does because time has moved: behind all records of the batch. */
  static byte[] ofTick(short task, int node) {
    return ofSource(Long.MAX_VALUE, false, NO_TOPIC, task & 0xFFFF, node);
  }

  /** Whether a record stands behind it, not only time. */
  public static boolean hasSource(byte[] order) {
    return topic(order) != NO_TOPIC;
  }

  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /** The order of what a node sends to its n-th consumer, when it has several. */
  static byte[] child(byte[] order, int n) {
    byte[] out = Arrays.copyOf(order, order.length + 1);
    out[order.length] = (byte) n;
    return out;
  }

  /** The order of the n-th record made of one record; n has no bound, so its length comes first. */
  public static byte[] emission(byte[] order, int n) {
    if (n < 0xF0) {
      return child(order, n);
    }
    byte[] out = Arrays.copyOf(order, order.length + 5);
    out[order.length] = (byte) 0xF0;
    ByteBuffer.wrap(out).putInt(order.length + 1, n);
    return out;
  }

  /** The order after a change of key: behind all that the same source record causes without one. */
  static byte[] hop(byte[] order) {
    byte[] out = order.clone();
    out[HOPS]++;
    return out;
  }

  /** The place that a record had when it was refused, now that it comes again. */
  public static byte[] replayed(byte[] order, byte[] path) {
    byte[] out = Arrays.copyOf(order, HOPS + path.length);
    System.arraycopy(path, 0, out, HOPS, path.length);
    out[HOPS] |= (byte) REPLAYED;
    return out;
  }

  /** Whether the record that stands behind it had been refused before. */
  public static boolean isReplayed(byte[] order) {
    return (order[HOPS] & REPLAYED) != 0;
  }

  /** What became of the source record on its way: changes of key, emissions. */
  public static byte[] path(byte[] order) {
    byte[] out = Arrays.copyOfRange(order, HOPS, order.length);
    out[0] &= ~REPLAYED;
    return out;
  }

  /** A place before all that the same source record causes, and behind all that earlier ones do. */
  public static byte[] beforeSource(byte[] order) {
    return Arrays.copyOf(order, HOPS);
  }

  /** Whether both come of the same source record. */
  public static boolean sameSource(byte[] a, byte[] b) {
    return Arrays.equals(a, 0, HOPS, b, 0, HOPS);
  }

  public static int topic(byte[] order) {
    return ByteBuffer.wrap(order).getShort(TOPIC) & 0xFFFF;
  }

  public static int partition(byte[] order) {
    return ByteBuffer.wrap(order).getInt(PARTITION);
  }

  public static long offset(byte[] order) {
    return ByteBuffer.wrap(order).getLong(OFFSET);
  }
}
