package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.TimeIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * When the entries of a table end: a fixed time after their timestamps, in the stream time of the table.
 *
 * <p>Each entry has a mark in the index that is not later than its end. A mark that comes too early is set anew, so that an entry that
 * is updated often is marked once per time to live and not once per update.
 */
final class ExpiryIndex {
  private final StreamTime time;
  private final TimeIndex index;
  private final long ttl;

  ExpiryIndex(KeyValueStore store, long ttl) {
    this.time = new StreamTime(store);
    this.index = TimeIndex.forWait(store, ttl);
    this.ttl = ttl;
  }

  /** The beginning of a task's batch. */
  void load() {
    time.load();
    index.load();
  }

  /** The end of the batch. */
  void save() {
    time.save();
    index.flush();
  }

  /** The end of an entry with this timestamp. */
  long end(long timestamp) {
    return timestamp > Long.MAX_VALUE - ttl ? Long.MAX_VALUE : timestamp + ttl;
  }

  /** The entries that end when time goes on to this timestamp, the first to end first. */
  List<Entry> observe(long timestamp, Function<byte[], Entry> entries) {
    long now = time.observe(timestamp);
    List<TimeIndex.Due> marks = index.pollUpTo(now);
    if (marks.isEmpty()) {
      return List.of();
    }
    Set<Entry> ended = new HashSet<>();
    for (TimeIndex.Due mark : marks) {
      Entry e = entries.apply(mark.entry());
      if (e.state != null && isOver(e.timestamp)) {
        ended.add(e);
      } else if (e.state != null) {
        index.add(end(e.timestamp), e.key);
      }
    }
    List<Entry> out = new ArrayList<>(ended);
    out.sort(Comparator.<Entry>comparingLong(e -> e.timestamp).thenComparing(e -> e.key, Arrays::compareUnsigned));
    return out;
  }

  /** When the last entry ends of those that end up to a time; Long.MIN_VALUE if none does. */
  long lastEnd(long limit, Function<byte[], Entry> entries) {
    index.load();
    return index.lastEndUpTo(limit, mark -> {
      Entry e = entries.apply(mark.entry());
      return e.state == null ? Long.MIN_VALUE : end(e.timestamp);
    });
  }

  /** Whether an entry with this timestamp has ended. */
  boolean isOver(long timestamp) {
    return end(timestamp) <= time.now();
  }

  long now() {
    return time.now();
  }

  /** Marks the end of an entry that is new, or that ends earlier than before. */
  void mark(Entry e) {
    index.add(end(e.timestamp), e.key);
  }
}
