package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Rows in memory are those that were put there last, or they are not there; with room for all of them, all are. Nobody takes more
 * memory than there is, and what is shared is shared evenly.
 */
public final class RowPagesTest {
  private static final int[] LENGTHS = {0, 1, 7, 8, 9, 48, 300, 20_000, 70_000};
  private static final byte[][] TASKS = {{0, 1}, {0, 2}, {}};
  private static final int ROUNDS = 300;
  private static final int CHANGES = 200;
  private static final int MEGABYTE = 1 << 20;

  private RowPagesTest() {}

  public static void main(String[] args) {
    Checks check = new Checks();
    small(check);
    for (int megabytes : new int[] {2, 3, 9}) {
      mixed(check, megabytes);
    }
    shared(check);
    check.end();
  }

  /** Many small rows: nothing is given up, and removing leaves none of the others alone. */
  private static void small(Checks check) {
    MemoryShare.Total total = new MemoryShare.Total(64 * MEGABYTE);
    RowPages pages = new RowPages(new MemoryShare(total));
    Map<String, byte[]> expected = new HashMap<>();
    Random random = new Random(1);
    boolean all = true;
    for (int i = 0; i < 200_000; i++) {
      byte[] key = bytes(random.nextInt(100_000));
      byte[] value = random.nextInt(4) == 0 ? null : bytes(random.nextInt());
      all &= pages.put(TASKS[i % 2], key, value);
      expected.put(i % 2 + Arrays.toString(key), value);
    }
    int wrong = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] key = bytes(i / 2);
      wrong += Arrays.equals(expected.get(i % 2 + Arrays.toString(key)), pages.get(TASKS[i % 2], key)) ? 0 : 1;
    }
    check.equal("small rows: all are there", true, all);
    check.equal("small rows: those that are wrong", 0, wrong);
  }

  private static byte[] bytes(int number) {
    return new byte[] {(byte) number, (byte) (number >> 8), (byte) (number >> 16)};
  }

  /** Rows of all sizes, more of them than there is room for. */
  private static void mixed(Checks check, int megabytes) {
    MemoryShare.Total total = new MemoryShare.Total((long) megabytes * MEGABYTE);
    RowPages pages = new RowPages(new MemoryShare(total));
    Map<String, byte[]> expected = new HashMap<>();
    Random random = new Random(megabytes);
    int there = 0;
    int wrong = 0;
    boolean all = true;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] task = TASKS[random.nextInt(TASKS.length)];
      List<byte[]> keys = new ArrayList<>();
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < CHANGES; i++) {
        byte[] value = new byte[LENGTHS[random.nextInt(LENGTHS.length - (random.nextInt(10) == 0 ? 0 : 2))]];
        random.nextBytes(value);
        keys.add(bytes(random.nextInt(20_000)));
        values.add(random.nextInt(5) == 0 ? null : value);
        expected.put(Arrays.toString(task) + Arrays.toString(keys.get(i)), values.get(i));
      }
      all &= pages.putAll(task, keys, values);
      List<byte[]> found = new ArrayList<>();
      int missing = pages.getAll(task, keys, found);
      for (int i = 0; i < CHANGES; i++) {
        byte[] wanted = expected.get(Arrays.toString(task) + Arrays.toString(keys.get(i)));
        wrong += found.get(i) == null || Arrays.equals(wanted, found.get(i)) ? 0 : 1;
        there += found.get(i) == null ? 0 : 1;
        missing -= found.get(i) == null ? 1 : 0;
      }
      wrong += missing;
      check.equal("memory of " + megabytes + " MB, round " + round, true, total.used() <= (long) megabytes * MEGABYTE);
    }
    check.equal(megabytes + " MB: those that are wrong", 0, wrong);
    check.equal(megabytes + " MB: some are there", true, there > ROUNDS * CHANGES / 4);
    check.equal(megabytes + " MB: all are there", false, all);
  }

  /** The second owner gets its half when the first one goes on, even if that adds no rows. */
  private static void shared(Checks check) {
    MemoryShare.Total total = new MemoryShare.Total(16 * MEGABYTE);
    RowPages first = new RowPages(new MemoryShare(total));
    RowPages second = new RowPages(new MemoryShare(total));
    fill(first, 0, 40_000);
    check.equal("shared: one has everything", true, total.used() > 14 * MEGABYTE);
    for (int i = 0; i < 20; i++) {
      fill(second, i * 1_000, 1_000);
      fill(first, i * 1_000, 2_000);
    }
    int kept = 0;
    for (int i = 10_000; i < 20_000; i++) {
      kept += second.get(TASKS[0], bytes(i)) == null ? 0 : 1;
    }
    check.equal("shared: the second has the last ones", 10_000, kept);
    check.equal("shared: not more than there is", true, total.used() <= 16 * MEGABYTE);
  }

  private static void fill(RowPages pages, int from, int count) {
    for (int i = from; i < from + count; i++) {
      pages.putAll(TASKS[0], List.of(bytes(i)), List.of(new byte[500]));
    }
  }
}
