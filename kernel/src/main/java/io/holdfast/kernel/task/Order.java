package io.holdfast.kernel.task;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The position of a record in the total order, as bytes that compare like the positions.
 *
 * <p>Layout: running maximum of the source partition's timestamps (8), table before stream (1), topic (2), partition (4),
 * offset (8), number of key changes (1, with a bit for replayed records), then the emission path.
 */
public final class Order {
  private static final int TOPIC = 9;
  private static final int PARTITION = 11;
  private static final int OFFSET = 15;
  private static final int HOPS = 23;
  private static final int LENGTH = 24;
  private static final int NO_TOPIC = 0xFFFF;
  /** In the byte of key changes: the record is replayed. */
  private static final int REPLAYED = 0x80;

  private Order() {}

  public static byte[] ofSource(long runningMaximum, boolean table, int topic, int partition, long offset) {
    ByteBuffer b = ByteBuffer.allocate(LENGTH);
    b.putLong(runningMaximum ^ Long.MIN_VALUE).put((byte) (table ? 0 : 1)).putShort((short) topic);
    return b.putInt(partition).putLong(offset).put((byte) 0).array();
  }

  /** The position of what a node emits because time has advanced: behind all records of the batch. */
  static byte[] ofTick(short task, int node) {
    return ofSource(Long.MAX_VALUE, false, NO_TOPIC, task & 0xFFFF, node);
  }

  /** Whether a source record caused it, and not only time. */
  public static boolean hasSource(byte[] order) {
    return topic(order) != NO_TOPIC;
  }

  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /** The position of what a node sends to its n-th consumer, when it has several. */
  static byte[] child(byte[] order, int n) {
    byte[] out = Arrays.copyOf(order, order.length + 1);
    out[order.length] = (byte) n;
    return out;
  }

  /** The position of the n-th record made of one record; n has no bound, so its length comes first. */
  public static byte[] emission(byte[] order, int n) {
    if (n < 0xF0) {
      return child(order, n);
    }
    byte[] out = Arrays.copyOf(order, order.length + 5);
    out[order.length] = (byte) 0xF0;
    ByteBuffer.wrap(out).putInt(order.length + 1, n);
    return out;
  }

  /** The position after a change of key: behind all that the same source record causes without one. */
  static byte[] hop(byte[] order) {
    byte[] out = order.clone();
    out[HOPS]++;
    return out;
  }

  /** The position that a replayed record had when it was refused. */
  public static byte[] replayed(byte[] order, byte[] path) {
    byte[] out = Arrays.copyOf(order, HOPS + path.length);
    System.arraycopy(path, 0, out, HOPS, path.length);
    out[HOPS] |= (byte) REPLAYED;
    return out;
  }

  /** Whether the record is, or was caused by, a replayed record. */
  public static boolean isReplayed(byte[] order) {
    return (order[HOPS] & REPLAYED) != 0;
  }

  /** What was done to the source record so far: changes of key, emissions. */
  public static byte[] path(byte[] order) {
    byte[] out = Arrays.copyOfRange(order, HOPS, order.length);
    out[0] &= ~REPLAYED;
    return out;
  }

  /** A position before all that the same source record causes, and behind all that earlier ones cause. */
  public static byte[] beforeSource(byte[] order) {
    return Arrays.copyOf(order, HOPS);
  }

  /** Whether both were caused by the same source record. */
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
