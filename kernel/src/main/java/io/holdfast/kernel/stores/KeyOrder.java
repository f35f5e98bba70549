package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The order of many keys by their bytes.
 *
 * <p>The eight bytes behind the common prefix of all keys are a number; the numbers are radix-sorted, and only where several keys have the same
 * number are the keys themselves compared. Comparing whole keys was a twelfth of the time of a record.
 */
final class KeyOrder {
  private static final int FEW = 64;
  private static final int DIGITS = Long.BYTES;
  private static final int VALUES = 256;

  private KeyOrder() {}

  /** The indexes of the keys in sorted order; the sort is stable. */
  static int[] of(List<byte[]> keys) {
    int[] indexes = new int[keys.size()];
    Arrays.setAll(indexes, i -> i);
    if (indexes.length < FEW) {
      settle(indexes, 0, indexes.length, keys);
      return indexes;
    }
    int same = commonBytes(keys);
    long[] numbers = new long[indexes.length];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(keys.get(i), same);
    }
    int[] sorted = sorted(numbers, indexes);
    settleEqual(sorted, numbers, keys);
    return sorted;
  }

  /** The length of the common prefix of all keys. */
  private static int commonBytes(List<byte[]> keys) {
    byte[] first = keys.get(0);
    int same = first.length;
    for (byte[] other : keys) {
      int differs = Arrays.mismatch(first, 0, same, other, 0, Math.min(same, other.length));
      same = differs < 0 ? Math.min(same, other.length) : differs;
    }
    return same;
  }

  /** The eight bytes from an index on as a number that compares like them, if it is read as unsigned. */
  private static long number(byte[] key, int from) {
    long number = 0;
    for (int i = from; i < from + DIGITS; i++) {
      number = number << Byte.SIZE | (i < key.length ? key[i] & 0xFF : 0);
    }
    return number;
  }

  /** The indexes of the numbers in sorted order. */
  private static int[] sorted(long[] numbers, int[] indexes) {
    int[][] counts = new int[DIGITS][VALUES];
    for (long number : numbers) {
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(number, digit)]++;
      }
    }
    int[] from = indexes;
    int[] to = new int[indexes.length];
    for (int digit = 0; digit < DIGITS; digit++) {
      if (counts[digit][digit(numbers[0], digit)] < numbers.length) {
        spread(numbers, from, to, digit, counts[digit]);
        int[] free = from;
        from = to;
        to = free;
      }
    }
    return from;
  }

  private static void spread(long[] numbers, int[] from, int[] to, int digit, int[] counts) {
    int at = 0;
    for (int value = 0; value < VALUES; value++) {
      int count = counts[value];
      counts[value] = at;
      at += count;
    }
    for (int index : from) {
      to[counts[digit(numbers[index], digit)]++] = index;
    }
  }

  private static int digit(long number, int digit) {
    return (int) (number >>> digit * Byte.SIZE) & 0xFF;
  }

  /** Compares the keys themselves where several have the same number. */
  private static void settleEqual(int[] indexes, long[] numbers, List<byte[]> keys) {
    int begin = 0;
    for (int end = 1; end <= indexes.length; end++) {
      if (end == indexes.length || numbers[indexes[end]] != numbers[indexes[begin]]) {
        settle(indexes, begin, end, keys);
        begin = end;
      }
    }
  }

  private static void settle(int[] indexes, int begin, int end, List<byte[]> keys) {
    if (end - begin < 2) {
      return;
    }
    int[] settled = IntStream.range(begin, end).mapToObj(i -> indexes[i])
        .sorted((a, b) -> Arrays.compareUnsigned(keys.get(a), keys.get(b)))
        .mapToInt(Integer::intValue).toArray();
    System.arraycopy(settled, 0, indexes, begin, settled.length);
  }
}
