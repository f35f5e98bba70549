package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
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
    checks.end();
  }

  private static void compare(Checks checks, int seed) {
    Random random = new Random(seed);
    MemoryStore store = new MemoryStore();
    long width = 1 + random.nextInt(20);
    TreeSet<String> model = new TreeSet<>();
    long now = -50;
    for (int batch = 0; batch < 12; batch++) {
      TimeIndex index = new TimeIndex(store, width);
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
          index.pollUpTo(limit).forEach(due -> got.add(line(due.time(), new String(due.what()))));
          checks.equal("seed " + seed + " batch " + batch + " up to " + limit, wanted, got);
        }
      }
      index.flush();
      store.commit();
    }
    TimeIndex index = new TimeIndex(store, width);
    index.load();
    checks.equal("seed " + seed + " what is left", model.size(), index.pollUpTo(Long.MAX_VALUE).size());
  }

  private static String line(long time, String what) {
    return String.format("%08d %s", time + 1_000, what);
  }
}
