package io.holdfast.kernel.stores;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A stored row with optional extra bytes behind it. Without extra bytes, the row is stored as it is.
 *
 * <p>Rows of Spark are whole words long; any other length means that extra bytes follow, padded to whole words, and their length (4).
 */
public final class RowExtra {
  private static final int WORD = Long.BYTES;

  private RowExtra() {}

  /** The row with extra bytes, or null for none. */
  public static byte[] with(byte[] row, byte[] extra) {
    if (extra == null) {
      return row;
    }
    byte[] out = Arrays.copyOf(row, row.length + room(extra.length) + Integer.BYTES);
    ByteBuffer.wrap(out, row.length, extra.length).put(extra);
    ByteBuffer.wrap(out).putInt(out.length - Integer.BYTES, extra.length);
    return out;
  }

  /** The length of the row itself. */
  public static int rowLength(byte[] stored, int at, int length) {
    return length % WORD == 0 ? length : length - Integer.BYTES - room(extraLength(stored, at, length));
  }

  /** The extra bytes, or null. */
  public static byte[] of(byte[] stored, int at, int length) {
    if (length % WORD == 0) {
      return null;
    }
    int begin = at + rowLength(stored, at, length);
    return Arrays.copyOfRange(stored, begin, begin + extraLength(stored, at, length));
  }

  public static int rowLength(byte[] stored) {
    return rowLength(stored, 0, stored.length);
  }

  public static byte[] of(byte[] stored) {
    return of(stored, 0, stored.length);
  }

  private static int extraLength(byte[] stored, int at, int length) {
    return ByteBuffer.wrap(stored).getInt(at + length - Integer.BYTES);
  }

  private static int room(int length) {
    return (length + WORD - 1) / WORD * WORD;
  }
}
