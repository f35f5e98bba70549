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
 * Which entries of a table expire when: a fixed time after their timestamps, in the stream time of the table.
 *
 * <p>Each entry has a mark in the index that is not later than its expiry. A mark that is due too early is set again, so that an entry that
 * is updated often is marked once per TTL and not once per update.
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

  /** When an entry with this timestamp expires. */
  long expiryOf(long timestamp) {
    return timestamp > Long.MAX_VALUE - ttl ? Long.MAX_VALUE : timestamp + ttl;
  }

  /** The entries that expire when time advances to this timestamp, the first to expire first. */
  List<Entry> observe(long timestamp, Function<byte[], Entry> entries) {
    long now = time.observe(timestamp);
    List<TimeIndex.Due> marks = index.pollUpTo(now);
    if (marks.isEmpty()) {
      return List.of();
    }
    Set<Entry> expired = new HashSet<>();
    for (TimeIndex.Due mark : marks) {
      Entry e = entries.apply(mark.entry());
      if (e.state != null && isExpired(e.timestamp)) {
        expired.add(e);
      } else if (e.state != null) {
        index.add(expiryOf(e.timestamp), e.key);
      }
    }
    List<Entry> out = new ArrayList<>(expired);
    out.sort(Comparator.<Entry>comparingLong(e -> e.timestamp).thenComparing(e -> e.key, Arrays::compareUnsigned));
    return out;
  }

  /** When the last entry expires of those that expire up to a time; Long.MIN_VALUE if none does. */
  long lastExpiry(long limit, Function<byte[], Entry> entries) {
    index.load();
    return index.lastEndUpTo(limit, mark -> {
      Entry e = entries.apply(mark.entry());
      return e.state == null ? Long.MIN_VALUE : expiryOf(e.timestamp);
    });
  }

  /** Whether an entry with this timestamp has expired. */
  boolean isExpired(long timestamp) {
    return expiryOf(timestamp) <= time.now();
  }

  long now() {
    return time.now();
  }

  /** Marks the expiry of an entry that is new, or that expires earlier than before. */
  void mark(Entry e) {
    index.add(expiryOf(e.timestamp), e.key);
  }
}
