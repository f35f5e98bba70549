package io.holdfast.kernel.stores;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/** Makes rows of bytes like Spark's encoders, without them. */
final class BinaryRows {
  private static final int WORD = 8;
  private static final byte[] NOTHING = {};

  private BinaryRows() {}

  /** A row with one column of bytes. */
  static UnsafeRow of(byte[] bytes) {
    byte[] memory = new byte[size(bytes.length)];
    write(memory, 0, bytes);
    return row(memory, 1);
  }

  /** A row with one column: the first bytes, then the others. */
  static UnsafeRow of(byte[] first, byte[] others) {
    return row(behind(NOTHING, first, others), 1);
  }

  /** The bytes of such a row behind others. */
  static byte[] behind(byte[] before, byte[] first, byte[] others) {
    int length = first.length + others.length;
    byte[] memory = new byte[before.length + size(length)];
    System.arraycopy(before, 0, memory, 0, before.length);
    putPlace(memory, before.length + WORD, 2 * WORD, length);
    System.arraycopy(first, 0, memory, before.length + 2 * WORD, first.length);
    System.arraycopy(others, 0, memory, before.length + 2 * WORD + first.length, others.length);
    return memory;
  }

  /** A row whose columns are such rows. */
  static UnsafeRow ofRows(byte[]... columns) {
    int at = WORD + columns.length * WORD;
    int total = at;
    for (byte[] column : columns) {
      total += size(column.length);
    }
    byte[] memory = new byte[total];
    for (int i = 0; i < columns.length; i++) {
      putPlace(memory, WORD + i * WORD, at, size(columns[i].length));
      write(memory, at, columns[i]);
      at += size(columns[i].length);
    }
    return row(memory, columns.length);
  }

  private static int size(int length) {
    return 2 * WORD + (length + WORD - 1) / WORD * WORD;
  }

  private static void write(byte[] memory, int at, byte[] bytes) {
    putPlace(memory, at + WORD, 2 * WORD, bytes.length);
    System.arraycopy(bytes, 0, memory, at + 2 * WORD, bytes.length);
  }

  private static void putPlace(byte[] memory, int at, long offset, int length) {
    Platform.putLong(memory, Platform.BYTE_ARRAY_OFFSET + at, offset << 32 | length);
  }

  private static UnsafeRow row(byte[] memory, int columns) {
    UnsafeRow row = new UnsafeRow(columns);
    row.pointTo(memory, memory.length);
    return row;
  }
}
