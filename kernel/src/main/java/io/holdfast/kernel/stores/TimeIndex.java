package io.holdfast.kernel.stores;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Entries by due time, from which due ones are taken without reading those that are not.
 *
 * <p>Entries are stored in buckets of time; those that one batch adds to a bucket are one row. A directory has the buckets and their spans, which
 * differ if the program has changed. A full bucket of which a part was taken is split into smaller ones, so that the rest of it is not written
 * again in each batch. No entry is ever searched for: the node that added one checks, when it is due, whether it still holds.
 */
public final class TimeIndex {
  /** The number of new buckets that span the usual wait of an entry. */
  private static final int BUCKETS = 50;
  private static final byte[] DIRECTORY = {'d'};
  private static final int ROW = 4096;
  /** The first number of a directory; those of earlier versions begin with the number of the next row, and have no spans. */
  private static final long WITH_SPANS = -1;
  private static final int PARTS = 64;
  private final KeyValueStore store;
  private final long width;
  /** By their first time; none overlap. */
  private final TreeMap<Long, Bucket> buckets = new TreeMap<>();
  private long nextRow;
  private boolean directoryChanged;
  /** No entry is due before this time. */
  private long earliest = Long.MAX_VALUE;

  /** An entry: when it is due, and its bytes. */
  public record Due(long time, byte[] entry) {
    private static final Comparator<Due> ORDER =
        Comparator.comparingLong(Due::time).thenComparing(Due::entry, Arrays::compareUnsigned);
  }

  private static final class Bucket {
    final long first;
    final long span;
    /** All entries, once the bucket was read; null before. */
    PriorityQueue<Due> entries;
    final List<Due> added = new ArrayList<>();
    final List<byte[]> rows = new ArrayList<>();
    boolean taken;

    Bucket(long first, long span) {
      this.first = first;
      this.span = span;
    }

    /** Its last time. */
    long last() {
      return first > Long.MAX_VALUE - span ? Long.MAX_VALUE : first + span - 1;
    }

    /** The part of its span that has a time. */
    Bucket part(long time) {
      long length = (span + PARTS - 1) / PARTS;
      long begin = first + (time - first) / length * length;
      return new Bucket(begin, Math.min(length, span - (begin - first)));
    }

    byte[] group() {
      return ByteBuffer.allocate(16).putLong(first).putLong(span).array();
    }
  }

  /**
   * @param width how much time a new bucket spans
   */
  TimeIndex(KeyValueStore store, long width) {
    this.store = store;
    this.width = Math.max(1, width);
  }

  /**
   * An index for entries that wait about as long as the given time, with buckets of a suitable width.
   *
   * @param wait in the unit of the entries' times
   */
  public static TimeIndex forWait(KeyValueStore store, long wait) {
    return new TimeIndex(store, wait / BUCKETS);
  }

  /** The beginning of a task's batch. */
  public void load() {
    buckets.clear();
    nextRow = 0;
    directoryChanged = false;
    byte[] directory = store.get(DIRECTORY);
    if (directory != null) {
      read(ByteBuffer.wrap(directory));
    }
    earliest = buckets.isEmpty() ? Long.MAX_VALUE : buckets.firstKey();
  }

  private void read(ByteBuffer b) {
    long head = b.getLong();
    if (head != WITH_SPANS) {
      nextRow = head;
      readWithoutSpans(b);
      return;
    }
    nextRow = b.getLong();
    while (b.hasRemaining()) {
      put(new Bucket(b.getLong(), b.getLong()));
    }
  }

  /** The spans of an earlier version's buckets are not known: their entries are moved to new ones. */
  private void readWithoutSpans(ByteBuffer numbers) {
    directoryChanged = true;
    while (numbers.hasRemaining()) {
      byte[] group = ByteBuffer.allocate(8).putLong(numbers.getLong()).array();
      List<Due> entries = new ArrayList<>();
      for (KeyValueStore.Pair row : store.scan(group)) {
        unpack(row.value(), entries);
        store.remove(group, row.key());
      }
      entries.forEach(due -> add(due.time, due.entry));
    }
  }

  private Bucket put(Bucket bucket) {
    buckets.put(bucket.first, bucket);
    return bucket;
  }

  public void add(long time, byte[] entry) {
    Bucket bucket = bucketOf(time);
    Due due = new Due(time, entry);
    bucket.added.add(due);
    if (bucket.entries != null) {
      bucket.entries.add(due);
    }
    earliest = Math.min(earliest, time);
  }

  private Bucket bucketOf(long time) {
    Map.Entry<Long, Bucket> before = buckets.floorEntry(time);
    if (before != null && time <= before.getValue().last()) {
      return before.getValue();
    }
    Bucket made = new Bucket(Math.floorDiv(time, width) * width, width);
    while (overlaps(made)) {
      made = made.part(time);
    }
    directoryChanged = true;
    return put(made);
  }

  private boolean overlaps(Bucket bucket) {
    Map.Entry<Long, Bucket> before = buckets.floorEntry(bucket.last());
    return before != null && before.getValue().last() >= bucket.first;
  }

  /** Passes all entries to a visitor, in no order. */
  public void each(Consumer<byte[]> visitor) {
    buckets.values().forEach(bucket -> {
      open(bucket);
      bucket.entries.forEach(due -> visitor.accept(due.entry));
    });
  }

  /** Returns and removes the entries that are due at this time or before, earliest first. */
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
    for (Bucket bucket : buckets.headMap(time, true).descendingMap().values()) {
      open(bucket);
      Optional<Due> last = bucket.entries.stream()
          .filter(due -> due.time <= time).sorted(Due.ORDER.reversed()).filter(holds).findFirst();
      if (last.isPresent()) {
        return last.get().time;
      }
    }
    return Long.MIN_VALUE;
  }

  /**
   * The same where entries may be due too early.
   *
   * @param end the actual due time of an entry; Long.MIN_VALUE if it does not hold any more
   */
  public long lastEndUpTo(long time, ToLongFunction<Due> end) {
    long last = Long.MIN_VALUE;
    for (Bucket bucket : buckets.headMap(time, true).values()) {
      open(bucket);
      for (Due due : bucket.entries) {
        long really = due.time <= time ? end.applyAsLong(due) : Long.MIN_VALUE;
        last = really <= time ? Math.max(last, really) : last;
      }
    }
    return last;
  }

  /** The due time of a mark plus a delay; Long.MIN_VALUE stands for never. */
  public static long later(long mark, long delay) {
    return mark == Long.MIN_VALUE ? mark : mark + delay;
  }

  /** Returns and removes the earliest entry that is due at this time or before; null if there is none. */
  public Due pollOne(long time) {
    Due first = time < earliest ? null : peek();
    return first != null && first.time <= time ? poll() : null;
  }

  /** The earliest entry, or null. */
  public Due peek() {
    while (!buckets.isEmpty()) {
      Bucket bucket = buckets.firstEntry().getValue();
      open(bucket);
      if (!bucket.entries.isEmpty()) {
        earliest = bucket.entries.peek().time;
        return bucket.entries.peek();
      }
      bucket.rows.forEach(row -> store.remove(bucket.group(), row));
      buckets.remove(bucket.first);
      directoryChanged = true;
    }
    earliest = Long.MAX_VALUE;
    return null;
  }

  /** Returns and removes the earliest entry, or null. */
  public Due poll() {
    if (peek() == null) {
      return null;
    }
    Bucket bucket = buckets.firstEntry().getValue();
    bucket.taken = true;
    return bucket.entries.poll();
  }

  private void open(Bucket bucket) {
    if (bucket.entries != null) {
      return;
    }
    bucket.entries = new PriorityQueue<>(Due.ORDER);
    bucket.entries.addAll(bucket.added);
    for (KeyValueStore.Pair row : store.scan(bucket.group())) {
      bucket.rows.add(row.key());
      unpack(row.value(), bucket.entries);
    }
  }

  /** The end of the batch. */
  public void flush() {
    peekAway();
    for (Bucket bucket : List.copyOf(buckets.values())) {
      if (bucket.taken) {
        bucket.rows.forEach(row -> store.remove(bucket.group(), row));
        rest(bucket);
      } else {
        write(bucket, bucket.added);
      }
    }
    if (directoryChanged) {
      writeDirectory();
    }
    buckets.clear();
  }

  /** Writes the rest of a bucket, into smaller ones if it is large. */
  private void rest(Bucket bucket) {
    if (bucket.entries.size() <= ROW || bucket.span == 1) {
      write(bucket, new ArrayList<>(bucket.entries));
      return;
    }
    directoryChanged = true;
    buckets.remove(bucket.first);
    Map<Long, Bucket> parts = new TreeMap<>();
    for (Due due : bucket.entries) {
      Bucket part = bucket.part(due.time);
      parts.computeIfAbsent(part.first, first -> put(part)).added.add(due);
    }
    parts.values().forEach(part -> write(part, part.added));
  }

  /** Drops the first buckets if all their entries were taken. */
  private void peekAway() {
    if (!buckets.isEmpty() && buckets.firstEntry().getValue().taken) {
      peek();
    }
  }

  private void write(Bucket bucket, List<Due> entries) {
    for (int i = 0; i < entries.size(); i += ROW) {
      List<Due> part = entries.subList(i, Math.min(entries.size(), i + ROW));
      store.put(bucket.group(), ByteBuffer.allocate(8).putLong(nextRow++).array(), pack(part));
      directoryChanged = true;
    }
  }

  private void writeDirectory() {
    ByteBuffer b = ByteBuffer.allocate(16 + 16 * buckets.size()).putLong(WITH_SPANS).putLong(nextRow);
    buckets.values().forEach(bucket -> b.putLong(bucket.first).putLong(bucket.span));
    store.put(DIRECTORY, b.array());
  }

  private static byte[] pack(List<Due> entries) {
    ByteBuffer b = ByteBuffer.allocate(entries.stream().mapToInt(e -> 12 + e.entry.length).sum());
    entries.forEach(e -> b.putLong(e.time).putInt(e.entry.length).put(e.entry));
    return b.array();
  }

  private static void unpack(byte[] row, Collection<Due> into) {
    ByteBuffer b = ByteBuffer.wrap(row);
    while (b.hasRemaining()) {
      long time = b.getLong();
      byte[] entry = new byte[b.getInt()];
      b.get(entry);
      into.add(new Due(time, entry));
    }
  }
}
