package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.task.StreamRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A stored row with the number of the change that made it, if that has one; rows have whole words, so the number is recognised by one byte more. */
final class NumberedRow {
  private static final int SUFFIX = 1 + Long.BYTES;

  private NumberedRow() {}

  static byte[] of(byte[] row, long number) {
    if (number == StreamRecord.UNNUMBERED) {
      return row;
    }
    byte[] out = Arrays.copyOf(row, row.length + SUFFIX);
    ByteBuffer.wrap(out).putLong(row.length + 1, number);
    return out;
  }

  static byte[] row(byte[] stored) {
    return isNumbered(stored) ? Arrays.copyOf(stored, stored.length - SUFFIX) : stored;
  }

  static long number(byte[] stored) {
    return isNumbered(stored) ? ByteBuffer.wrap(stored).getLong(stored.length - Long.BYTES) : StreamRecord.UNNUMBERED;
  }

  private static boolean isNumbered(byte[] stored) {
    return stored.length % Long.BYTES == SUFFIX % Long.BYTES;
  }
}
