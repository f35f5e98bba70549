package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Keys come in the order of their bytes, as if each had been compared with the others. */
public final class KeyOrderTest {
  private KeyOrderTest() {}

  /** A key, and where it stood. */
  private record Item(byte[] key, int place) {}

  public static void main(String[] args) {
    Checks check = new Checks();
    Random random = new Random(1);
    for (int size : new int[] {0, 1, 2, 63, 64, 65, 1_000, 20_000}) {
      for (int most : new int[] {1, 7, 8, 9, 24}) {
        for (int common : new int[] {0, 3, 16}) {
          List<Item> items = items(random, size, most, common);
          List<Item> expected = new ArrayList<>(items);
          expected.sort((a, b) -> Arrays.compareUnsigned(a.key, b.key));
          int[] order = KeyOrder.of(items.stream().map(Item::key).toList());
          check.equal(size + " keys of " + most + " bytes behind " + common, places(expected), Arrays.stream(order).boxed().toList());
        }
      }
    }
    check.end();
  }

  private static List<Item> items(Random random, int size, int most, int common) {
    byte[] before = new byte[common];
    random.nextBytes(before);
    List<Item> out = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      byte[] key = Arrays.copyOf(before, common + random.nextInt(most + 1));
      for (int at = common; at < key.length; at++) {
        key[at] = (byte) (random.nextInt(6) * 51);
      }
      out.add(new Item(key, i));
    }
    return out;
  }

  private static List<Integer> places(List<Item> items) {
    return items.stream().map(Item::place).toList();
  }
}
