package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** The index of times against a sorted set, over many batches. */
public final class TimeIndexTest {
  private TimeIndexTest() {}

  public static void main(String[] arguments) {
    Checks checks = new Checks();
    for (int seed = 0; seed < 300; seed++) {
      compare(checks, seed);
    }
    buckets(checks);
    earlierVersion(checks);
    end(checks);
    checks.end();
  }

  private static void compare(Checks checks, int seed) {
    Random random = new Random(seed);
    MemoryStore store = new MemoryStore();
    TreeSet<String> model = new TreeSet<>();
    long now = -50;
    for (int batch = 0; batch < 12; batch++) {
      // A program that has changed may have another width.
      TimeIndex index = new TimeIndex(store, 1 + random.nextInt(20) * random.nextInt(20));
      index.load();
      for (int step = random.nextInt(12); step > 0; step--) {
        if (random.nextInt(3) > 0) {
          long time = now + random.nextInt(100);
          String what = "k" + random.nextInt(1000);
          if (model.add(line(time, what))) {
            index.add(time, what.getBytes());
          }
        } else {
          now += random.nextInt(30);
          long limit = now;
          List<String> wanted = new ArrayList<>(model.headSet(line(limit + 1, "")));
          model.removeAll(wanted);
          List<String> got = new ArrayList<>();
          index.pollUpTo(limit).forEach(due -> got.add(line(due.time(), new String(due.entry()))));
          checks.equal("seed " + seed + " batch " + batch + " up to " + limit, wanted, got);
        }
      }
      index.flush();
      store.commit();
    }
    TimeIndex index = new TimeIndex(store, 7);
    index.load();
    checks.equal("seed " + seed + " what is left", model.size(), index.pollUpTo(Long.MAX_VALUE).size());
  }

  /** Taking little out of a bucket with many entries costs little. */
  private static void buckets(Checks checks) {
    int entries = 100_000;
    MemoryStore memory = new MemoryStore();
    CountingStore store = new CountingStore(memory);
    TimeIndex index = new TimeIndex(store, entries);
    index.load();
    for (int i = 0; i < entries; i++) {
      index.add(i, ("k" + i).getBytes());
    }
    index.flush();
    memory.commit();
    int taken = 0;
    long all = store.written;
    for (int batch = 0; batch < 500; batch++) {
      index.load();
      taken += index.pollUpTo(10 * batch).size();
      index.flush();
      memory.commit();
    }
    checks.equal("taken out of a bucket", 10 * 499 + 1, taken);
    checks.equal("in 500 batches not much is written again", true, store.written - all < 10 * all);
    index.load();
    checks.equal("what is left of a bucket", entries - taken, index.pollUpTo(entries).size());
  }

  /** A directory of an earlier version, which has the numbers of buckets only, and not their widths. */
  private static void earlierVersion(Checks checks) {
    MemoryStore store = new MemoryStore();
    store.put(new byte[] {'d'}, ByteBuffer.allocate(24).putLong(7).putLong(-1).putLong(3).array());
    for (long[] entry : new long[][] {{-1, -8}, {3, 31}, {3, 39}}) {
      byte[] row = ByteBuffer.allocate(13).putLong(entry[1]).putInt(1).put((byte) 'x').array();
      store.put(ByteBuffer.allocate(8).putLong(entry[0]).array(), ByteBuffer.allocate(8).putLong(entry[1]).array(), row);
    }
    for (int batch = 0; batch < 2; batch++) {
      TimeIndex index = new TimeIndex(store, 1000);
      index.load();
      index.add(35 + batch, new byte[] {'y'});
      index.flush();
      store.commit();
    }
    TimeIndex index = new TimeIndex(store, 3);
    index.load();
    checks.equal("times of an earlier version", List.of(-8L, 31L, 35L, 36L), index.pollUpTo(38).stream().map(TimeIndex.Due::time).toList());
    index.flush();
    store.commit();
    long[] rows = {0};
    store.forEach((group, key, value) -> rows[0]++);
    checks.equal("rows that are left: the directory and one entry", 2L, rows[0]);
  }

  /** Times that cannot be added to. */
  private static void end(Checks checks) {
    TimeIndex index = new TimeIndex(new MemoryStore(), 1_000_003);
    index.load();
    List<Long> times = List.of(0L, Long.MAX_VALUE - 2, Long.MAX_VALUE - 1, Long.MAX_VALUE);
    times.forEach(time -> index.add(time, new byte[0]));
    index.flush();
    index.load();
    checks.equal("up to the end of time", times, index.pollUpTo(Long.MAX_VALUE).stream().map(TimeIndex.Due::time).toList());
  }

  private static String line(long time, String what) {
    return String.format("%08d %s", time + 1_000, what);
  }
}
