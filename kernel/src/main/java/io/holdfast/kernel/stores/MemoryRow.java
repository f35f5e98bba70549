package io.holdfast.kernel.stores;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.array.ByteArrayMethods;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * A row at an address outside of the heap: a header with its capacity and the lengths of its parts, the label of its task, its key and its
 * value.
 */
final class MemoryRow {
  /** Rows have addresses and capacities that are multiples of this. */
  static final int WORD = 8;
  /** The largest capacity. */
  static final int LARGEST = 1 << 16;
  private static final int LENGTH_BITS = 16;
  private static final int LENGTHS = (1 << LENGTH_BITS) - 1;
  private static final int KEY = LENGTH_BITS;
  private static final int VALUE = 2 * LENGTH_BITS;
  private static final int ROOM = 3 * LENGTH_BITS;
  private static final int SEED = 42;
  private static final int START = Platform.BYTE_ARRAY_OFFSET;

  private MemoryRow() {}

  static int hash(byte[] task, byte[] key) {
    return hash(key, START, key.length, hash(task, START, task.length, SEED));
  }

  static int hash(long row) {
    long number = number(row);
    int task = (int) number & LENGTHS;
    int key = (int) (number >>> KEY) & LENGTHS;
    return hash(null, row + WORD + task, key, hash(null, row + WORD, task, SEED));
  }

  private static int hash(Object base, long offset, int length, int seed) {
    return Murmur3_x86_32.hashUnsafeBytes2(base, offset, length, seed);
  }

  /** The capacity that a row needs; more than {@link #LARGEST} if it cannot be written. */
  static int room(byte[] task, byte[] key, byte[] value) {
    long size = (long) WORD + task.length + key.length + value.length;
    return (int) Math.min(LARGEST + 1L, (size + WORD - 1) / WORD * WORD);
  }

  static int room(long row) {
    return (int) (number(row) >>> ROOM) * WORD;
  }

  static void write(long row, int room, byte[] task, byte[] key, byte[] value) {
    Platform.putLong(null, row, (long) (room / WORD) << ROOM | (long) value.length << VALUE | (long) key.length << KEY | task.length);
    copy(task, row + WORD);
    copy(key, row + WORD + task.length);
    copy(value, row + WORD + task.length + key.length);
  }

  /** Writes another value, which must fit the capacity. */
  static void change(long row, byte[] value) {
    long number = number(row);
    Platform.putLong(null, row, number & ~((long) LENGTHS << VALUE) | (long) value.length << VALUE);
    copy(value, row + WORD + (number & LENGTHS) + (number >>> KEY & LENGTHS));
  }

  private static void copy(byte[] bytes, long to) {
    Platform.copyMemory(bytes, START, null, to, bytes.length);
  }

  static boolean is(long row, byte[] task, byte[] key) {
    long number = number(row);
    return ((int) number & LENGTHS) == task.length
        && ((int) (number >>> KEY) & LENGTHS) == key.length
        && ByteArrayMethods.arrayEquals(null, row + WORD + task.length, key, START, key.length)
        && ByteArrayMethods.arrayEquals(null, row + WORD, task, START, task.length);
  }

  static byte[] value(long row) {
    long number = number(row);
    byte[] out = new byte[(int) (number >>> VALUE) & LENGTHS];
    Platform.copyMemory(null, row + WORD + (number & LENGTHS) + (number >>> KEY & LENGTHS), out, START, out.length);
    return out;
  }

  private static long number(long row) {
    return Platform.getLong(null, row);
  }
}
