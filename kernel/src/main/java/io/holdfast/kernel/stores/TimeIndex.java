package io.holdfast.kernel.stores;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What is to be done at a time, found without looking through what is not yet due.
 *
 * <p>Entries lie in buckets of time; what one batch adds to a bucket is one row. A directory says which buckets there are. Entries
 * are never searched for: whoever adds one checks, when it is due, whether it still holds.
 */
public final class TimeIndex {
  private static final byte[] DIRECTORY = {'d'};
  private static final int ROW = 4096;
  private final KeyValueStore store;
  private final long width;
  private final TreeMap<Long, Bucket> buckets = new TreeMap<>();
  private long nextRow;
  private boolean directoryChanged;
  /** No entry is due before this time. */
  private long earliest = Long.MAX_VALUE;

  /** An entry: when, and what. */
  public record Due(long time, byte[] what) {
    private static final Comparator<Due> ORDER =
        Comparator.comparingLong(Due::time).thenComparing(Due::what, Arrays::compareUnsigned);
  }

  private static final class Bucket {
    /** All entries, once the bucket was looked into; null before. */
    PriorityQueue<Due> entries;
    final List<Due> added = new ArrayList<>();
    final List<byte[]> rows = new ArrayList<>();
    boolean taken;
  }

  /**
   * @param width how much time a bucket spans: about a fiftieth of the time that entries wait is good
   */
  public TimeIndex(KeyValueStore store, long width) {
    this.store = store;
    this.width = Math.max(1, width);
  }

  /** The beginning of a task's batch. */
  public void load() {
    buckets.clear();
    nextRow = 0;
    directoryChanged = false;
    byte[] directory = store.get(DIRECTORY);
    if (directory != null) {
      ByteBuffer b = ByteBuffer.wrap(directory);
      nextRow = b.getLong();
      while (b.hasRemaining()) {
        buckets.put(b.getLong(), new Bucket());
      }
    }
    earliest = buckets.isEmpty() ? Long.MAX_VALUE : start(buckets.firstKey());
  }

  public void add(long time, byte[] what) {
    Bucket bucket = buckets.computeIfAbsent(Math.floorDiv(time, width), n -> {
      directoryChanged = true;
      return new Bucket();
    });
    Due due = new Due(time, what);
    bucket.added.add(due);
    if (bucket.entries != null) {
      bucket.entries.add(due);
    }
    earliest = Math.min(earliest, time);
  }

  /** Shows everything that waits, in no order. */
  public void each(Consumer<byte[]> visitor) {
    buckets.forEach((number, bucket) -> {
      open(number, bucket);
      bucket.entries.forEach(due -> visitor.accept(due.what));
    });
  }

  /** Gives and removes what is due at this time or before, earliest first. */
  public List<Due> pollUpTo(long time) {
    if (time < earliest) {
      return List.of();
    }
    List<Due> out = new ArrayList<>();
    for (Due due = peek(); due != null && due.time <= time; due = peek()) {
      out.add(poll());
    }
    return out;
  }

  /** The time of the last entry that is due at this time or before, of those that still hold; Long.MIN_VALUE if there is none. */
  public long lastUpTo(long time, Predicate<Due> holds) {
    for (Map.Entry<Long, Bucket> each : upTo(time).descendingMap().entrySet()) {
      open(each.getKey(), each.getValue());
      Optional<Due> last = each.getValue().entries.stream()
          .filter(due -> due.time <= time).sorted(Due.ORDER.reversed()).filter(holds).findFirst();
      if (last.isPresent()) {
        return last.get().time;
      }
    }
    return Long.MIN_VALUE;
  }

  /**
   * The same where entries may be marked too early.
   *
   * @param end for when it would be marked now; Long.MIN_VALUE if it does not hold any more
   */
  public long lastEndUpTo(long time, ToLongFunction<Due> end) {
    long last = Long.MIN_VALUE;
    for (Map.Entry<Long, Bucket> each : upTo(time).entrySet()) {
      open(each.getKey(), each.getValue());
      for (Due due : each.getValue().entries) {
        long really = due.time <= time ? end.applyAsLong(due) : Long.MIN_VALUE;
        last = really <= time ? Math.max(last, really) : last;
      }
    }
    return last;
  }

  private NavigableMap<Long, Bucket> upTo(long time) {
    return buckets.headMap(Math.floorDiv(time, width), true);
  }

  /** When something is due that is so much later than its mark; Long.MIN_VALUE stands for never. */
  public static long later(long mark, long delay) {
    return mark == Long.MIN_VALUE ? mark : mark + delay;
  }

  /** Gives and removes the earliest entry that is due at this time or before; null if there is none. */
  public Due pollOne(long time) {
    Due first = time < earliest ? null : peek();
    return first != null && first.time <= time ? poll() : null;
  }

  /** The earliest entry, or null. */
  public Due peek() {
    while (!buckets.isEmpty()) {
      long number = buckets.firstKey();
      Bucket bucket = buckets.firstEntry().getValue();
      open(number, bucket);
      if (!bucket.entries.isEmpty()) {
        earliest = bucket.entries.peek().time;
        return bucket.entries.peek();
      }
      bucket.rows.forEach(row -> store.remove(group(number), row));
      buckets.remove(number);
      directoryChanged = true;
    }
    earliest = Long.MAX_VALUE;
    return null;
  }

  /** Gives and removes the earliest entry, or null. */
  public Due poll() {
    if (peek() == null) {
      return null;
    }
    Bucket bucket = buckets.firstEntry().getValue();
    bucket.taken = true;
    return bucket.entries.poll();
  }

  private void open(long number, Bucket bucket) {
    if (bucket.entries != null) {
      return;
    }
    bucket.entries = new PriorityQueue<>(Due.ORDER);
    bucket.entries.addAll(bucket.added);
    for (KeyValueStore.Pair row : store.scan(group(number))) {
      bucket.rows.add(row.key());
      unpack(row.value(), bucket.entries);
    }
  }

  /** The end of the batch. */
  public void flush() {
    peekAway();
    buckets.forEach((number, bucket) -> {
      if (bucket.taken) {
        bucket.rows.forEach(row -> store.remove(group(number), row));
        write(number, new ArrayList<>(bucket.entries));
      } else {
        write(number, bucket.added);
      }
    });
    if (directoryChanged) {
      writeDirectory();
    }
    buckets.clear();
  }

  /** Drops buckets at the front out of which everything was taken. */
  private void peekAway() {
    if (!buckets.isEmpty() && buckets.firstEntry().getValue().taken) {
      peek();
    }
  }

  private void write(long bucket, List<Due> entries) {
    for (int i = 0; i < entries.size(); i += ROW) {
      List<Due> part = entries.subList(i, Math.min(entries.size(), i + ROW));
      store.put(group(bucket), ByteBuffer.allocate(8).putLong(nextRow++).array(), pack(part));
      directoryChanged = true;
    }
  }

  private void writeDirectory() {
    ByteBuffer b = ByteBuffer.allocate(8 + 8 * buckets.size()).putLong(nextRow);
    buckets.keySet().forEach(b::putLong);
    store.put(DIRECTORY, b.array());
  }

  private long start(long bucket) {
    return bucket * width;
  }

  private static byte[] group(long bucket) {
    return ByteBuffer.allocate(8).putLong(bucket).array();
  }

  private static byte[] pack(List<Due> entries) {
    ByteBuffer b = ByteBuffer.allocate(entries.stream().mapToInt(e -> 12 + e.what.length).sum());
    entries.forEach(e -> b.putLong(e.time).putInt(e.what.length).put(e.what));
    return b.array();
  }

  private static void unpack(byte[] row, PriorityQueue<Due> into) {
    ByteBuffer b = ByteBuffer.wrap(row);
    while (b.hasRemaining()) {
      long time = b.getLong();
      byte[] what = new byte[b.getInt()];
      b.get(what);
      into.add(new Due(time, what));
    }
  }
}
