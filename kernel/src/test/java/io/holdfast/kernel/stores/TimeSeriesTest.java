package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** A series against a sorted list, over many batches; and what a long one costs. */
public final class TimeSeriesTest {
  private static final byte[] KEY = {'k'};
  /** No note, one that does not keep its item, one that does. */
  private static final String[] NOTES = {"", "n", "kept"};

  private TimeSeriesTest() {}

  /** What the list has in place of an item. */
  private static final class Thing {
    final long time;
    final String value;
    String note;

    Thing(long time, String value, String note) {
      this.time = time;
      this.value = value;
      this.note = note;
    }

    @Override
    public String toString() {
      return time + "=" + value + note;
    }
  }

  public static void main(String[] arguments) {
    Checks checks = new Checks();
    for (int seed = 0; seed < 200; seed++) {
      compare(checks, seed);
    }
    aHotKeyCostsLittle(checks);
    checks.end();
  }

  private static void compare(Checks checks, int seed) {
    Random random = new Random(seed);
    MemoryStore store = new MemoryStore();
    List<Thing> model = new ArrayList<>();
    long now = 0;
    int value = 0;
    int most = 1 + random.nextInt(120);
    for (int batch = 0; batch < 15; batch++) {
      TimeSeries series = new TimeSeries(store, KEY);
      for (int step = random.nextInt(most); step > 0; step--) {
        now += random.nextInt(3);
        String where = "seed " + seed + " batch " + batch;
        switch (random.nextInt(8)) {
          case 0 -> look(checks, where, series, model, now - random.nextInt(60), now + random.nextInt(30));
          case 1 -> note(series, model, now - random.nextInt(60), NOTES[random.nextInt(NOTES.length)]);
          case 2 -> remove(series, model, now - random.nextInt(60));
          case 3 -> near(checks, where, series, model, now - random.nextInt(60));
          default -> add(series, model, new Thing(now - random.nextInt(20), "v" + value++, NOTES[Math.max(0, random.nextInt(7) - 4)]));
        }
      }
      if (random.nextInt(3) == 0) {
        long limit = now - random.nextInt(50);
        series.dropBefore(limit);
        // A page that was not read may still have items that could be dropped: read it.
        series.between(Long.MIN_VALUE, Long.MAX_VALUE);
        series.dropBefore(limit);
        model.removeIf(thing -> thing.time < limit && thing.note.length() < 2);
      }
      series.flush();
      store.commit();
    }
    look(checks, "seed " + seed + " in the end", new TimeSeries(store, KEY), model, Long.MIN_VALUE, Long.MAX_VALUE);
    checks.equal("seed " + seed + " empty", model.isEmpty(), new TimeSeries(store, KEY).isEmpty());
    checks.equal("seed " + seed + " leaves no rows", model.isEmpty(), rows(store) == 0);
  }

  private static void add(TimeSeries series, List<Thing> model, Thing thing) {
    series.add(thing.time, thing.value.getBytes(StandardCharsets.UTF_8), bytes(thing.note));
    model.add(thing);
    model.sort(Comparator.comparingLong(each -> each.time));
  }

  private static byte[] bytes(String note) {
    return note.isEmpty() ? null : note.getBytes(StandardCharsets.UTF_8);
  }

  private static void note(TimeSeries series, List<Thing> model, long time, String note) {
    series.between(time, time + 5).forEach(item -> series.note(item, bytes(note)));
    model.stream().filter(thing -> thing.time >= time && thing.time <= time + 5).forEach(thing -> thing.note = note);
  }

  private static void remove(TimeSeries series, List<Thing> model, long time) {
    TimeSeries.Item found = series.floor(time);
    if (found != null) {
      series.remove(found);
      model.removeIf(thing -> thing.value.equals(text(found)));
    }
  }

  private static void near(Checks checks, String where, TimeSeries series, List<Thing> model, long time) {
    TimeSeries.Item floor = series.floor(time);
    TimeSeries.Item higher = series.higher(time);
    Thing until = model.stream().filter(thing -> thing.time <= time).reduce((a, b) -> b).orElse(null);
    Thing after = model.stream().filter(thing -> thing.time > time).findFirst().orElse(null);
    checks.equal(where + " until " + time, until == null ? null : until.value, floor == null ? null : text(floor));
    checks.equal(where + " after " + time, after == null ? null : after.value, higher == null ? null : text(higher));
  }

  private static void look(Checks checks, String where, TimeSeries series, List<Thing> model, long from, long to) {
    List<String> wanted =
        model.stream().filter(thing -> thing.time >= from && thing.time <= to).map(Thing::toString).toList();
    List<String> got = series.between(from, to).stream()
        .map(item -> item.time + "=" + text(item) + (item.note() == null ? "" : new String(item.note(), StandardCharsets.UTF_8))).toList();
    checks.equal(where + " between " + from + " and " + to, wanted, got);
  }

  private static String text(TimeSeries.Item item) {
    return new String(item.value, StandardCharsets.UTF_8);
  }

  private static int rows(MemoryStore store) {
    int[] count = {0};
    store.forEach((group, key, value) -> count[0]++);
    return count[0];
  }

  private static void aHotKeyCostsLittle(Checks checks) {
    MemoryStore store = new MemoryStore();
    byte[] value = new byte[100];
    TimeSeries filled = new TimeSeries(store, KEY);
    for (int i = 0; i < 100_000; i++) {
      filled.add(i, value, null);
    }
    filled.flush();
    store.commit();
    CountingStore counting = new CountingStore(store);
    TimeSeries series = new TimeSeries(counting, KEY);
    series.add(100_000, value, null);
    series.flush();
    checks.equal("reads for one more", true, counting.read < 100_000);
    checks.equal("writes for one more", true, counting.written < 100_000);
    checks.equal("rows for one more", true, counting.rows <= 4);
  }
}
