package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Puts many things into the order of their keys' bytes.
 *
 * <p>The eight bytes behind what all keys begin with are a number; these are sorted byte by byte, and only where several keys have
 * the same number are the keys themselves compared. Comparing keys all the way was a twelfth of what a record took.
 */
public final class KeyOrder {
  private static final int FEW = 64;
  private static final int DIGITS = Long.BYTES;
  private static final int VALUES = 256;

  private KeyOrder() {}

  /** Sorts a list; those with the same key stay as they are to one another. */
  public static <T> void sort(List<T> list, Function<T, byte[]> key) {
    Comparator<T> byKey = (a, b) -> Arrays.compareUnsigned(key.apply(a), key.apply(b));
    if (list.size() < FEW) {
      list.sort(byKey);
      return;
    }
    int same = commonBytes(list, key);
    long[] numbers = new long[list.size()];
    int[] places = new int[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(key.apply(list.get(i)), same);
      places[i] = i;
    }
    arrange(list, sorted(numbers, places), numbers, byKey);
  }

  /** With how many bytes all keys begin. */
  private static <T> int commonBytes(List<T> list, Function<T, byte[]> key) {
    byte[] first = key.apply(list.get(0));
    int same = first.length;
    for (T each : list) {
      byte[] other = key.apply(each);
      int differs = Arrays.mismatch(first, 0, same, other, 0, Math.min(same, other.length));
      same = differs < 0 ? Math.min(same, other.length) : differs;
    }
    return same;
  }

  /** The bytes from there on as a number that compares like them, if it is read without a sign. */
  private static long number(byte[] key, int from) {
    long number = 0;
    for (int i = from; i < from + DIGITS; i++) {
      number = number << Byte.SIZE | (i < key.length ? key[i] & 0xFF : 0);
    }
    return number;
  }

  /** Where to find what comes first, second, …; the numbers stay where they are. */
  private static int[] sorted(long[] numbers, int[] places) {
    int[][] counts = new int[DIGITS][VALUES];
    for (long number : numbers) {
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(number, digit)]++;
      }
    }
    int[] from = places;
    int[] to = new int[places.length];
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
    for (int place : from) {
      to[counts[digit(numbers[place], digit)]++] = place;
    }
  }

  private static int digit(long number, int digit) {
    return (int) (number >>> digit * Byte.SIZE) & 0xFF;
  }

  private static <T> void arrange(List<T> list, int[] places, long[] numbers, Comparator<T> byKey) {
    List<T> before = new ArrayList<>(list);
    int begin = 0;
    for (int i = 0; i < places.length; i++) {
      list.set(i, before.get(places[i]));
      if (i + 1 == places.length || numbers[places[i + 1]] != numbers[places[i]]) {
        if (i > begin) {
          list.subList(begin, i + 1).sort(byKey);
        }
        begin = i + 1;
      }
    }
  }
}
