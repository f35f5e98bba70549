package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** A table of keys holds what a map of them would, also where many keys have the same hash. */
public final class KeyTableTest {
  private KeyTableTest() {}

  private static final class Item extends KeyTable.Keyed {
    final int number;

    Item(byte[] key, int hash, int number) {
      super(key, hash);
      this.number = number;
    }
  }

  public static void main(String[] args) {
    Checks check = new Checks();
    Random random = new Random(1);
    for (int hashes : new int[] {1, 7, Integer.MAX_VALUE}) {
      KeyTable<Item> table = new KeyTable<>();
      for (int turn = 0; turn < 3; turn++) {
        fill(check, table, random, hashes);
        table.clear();
        check.equal("size when empty", 0, table.size());
        check.equal("a key when empty", null, table.find(new byte[0], 0));
      }
    }
    check.equal("hashes of keys that differ in one bit", true, KeyTable.hash(new byte[16]) != KeyTable.hash(bit(16)));
    check.end();
  }

  private static void fill(Checks check, KeyTable<Item> table, Random random, int hashes) {
    Map<Bytes, Integer> expected = new HashMap<>();
    for (int i = 0; i < 4_000; i++) {
      byte[] key = new byte[random.nextInt(3)];
      random.nextBytes(key);
      int hash = KeyTable.hash(key) % hashes;
      Item known = table.find(key, hash);
      check.equal("what is known of a key", expected.get(new Bytes(key)), known == null ? null : known.number);
      if (known == null) {
        table.add(new Item(key, hash, i));
        expected.put(new Bytes(key), i);
      }
    }
    Set<Integer> shown = new HashSet<>();
    table.forEach(item -> shown.add(item.number));
    check.equal("size", expected.size(), table.size());
    check.equal("all", new HashSet<>(expected.values()), shown);
  }

  private static byte[] bit(int length) {
    byte[] out = new byte[length];
    out[length - 1] = 1;
    return out;
  }
}
