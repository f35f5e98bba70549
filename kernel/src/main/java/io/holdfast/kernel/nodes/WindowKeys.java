package io.holdfast.kernel.nodes;

import io.holdfast.kernel.serde.WindowTimes;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Keys of windows: the group's key, and the start and end of the window. */
public final class WindowKeys {
  private WindowKeys() {}

  public static StructType type(DataType key) {
    return WindowTimes.type(key);
  }

  /**
   * @param start in milliseconds
   * @param end in milliseconds
   */
  public static GenericInternalRow of(Object key, long start, long end) {
    return new GenericInternalRow(new Object[] {key, start * 1000, end * 1000});
  }

  /** The start of a key's window, in milliseconds. */
  public static long start(InternalRow windowed) {
    return Math.floorDiv(windowed.getLong(1), 1000L);
  }

  /** The end of a key's window. */
  public static long end(InternalRow windowed) {
    return Math.floorDiv(windowed.getLong(2), 1000L);
  }

  /** The window as bytes that sort by its start: the key of its state within the group of its key. */
  public static byte[] encode(long start, long end) {
    return ByteBuffer.allocate(16).putLong(start ^ Long.MIN_VALUE).putLong(end ^ Long.MIN_VALUE).array();
  }

  public static long startOf(byte[] window) {
    return ByteBuffer.wrap(window).getLong() ^ Long.MIN_VALUE;
  }

  public static long endOf(byte[] window) {
    return ByteBuffer.wrap(window).getLong(8) ^ Long.MIN_VALUE;
  }
}
