package io.holdfast.kernel.source;

import java.util.BitSet;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The recorded epochs of a query, from a given one on, out of the topic of an {@link EpochLog}. There may be very many when an old copy of a
 * checkpoint was restored: only the next ones are in memory, the others are read when they are needed.
 */
final class RecordedEpochs {
  private final String query;
  private final long first;
  private final int most;
  private final NavigableMap<Long, EpochEnds> next = new TreeMap<>();
  /** Which epochs are recorded, counted from the first. */
  private final BitSet there = new BitSet();
  private EpochEnds last;
  /** The offsets between which the others are read. */
  private long from = Long.MAX_VALUE;
  private long until;

  /**
   * @param first the lowest that is wanted
   * @param most how many may be in memory
   */
  RecordedEpochs(String query, long first, int most) {
    this.query = query;
    this.first = first;
    this.most = most;
  }

  /** Adds a record of the topic; of two of one epoch the later counts. */
  void add(EpochEnds ends, long offset) {
    if (!ends.query().equals(query) || ends.epoch() < Math.max(0, first)) {
      return;
    }
    there.set(index(ends.epoch()));
    from = Math.min(from, offset);
    until = Math.max(until, offset + 1);
    last = last == null || ends.epoch() >= last.epoch() ? ends : last;
    cache(ends, Math.max(0, first));
  }

  private void cache(EpochEnds ends, long lowest) {
    if (ends.query().equals(query) && ends.epoch() >= lowest && ends.epoch() < lowest + most) {
      next.put(ends.epoch(), ends);
    }
  }

  private int index(long epoch) {
    return Math.toIntExact(epoch - Math.max(0, first));
  }

  /** The record of an epoch, or null; epochs must be requested in order. */
  EpochEnds get(long epoch, EpochTopic topic) {
    if (!contains(epoch)) {
      return null;
    }
    if (!next.containsKey(epoch)) {
      next.clear();
      topic.read(from, until, (ends, offset) -> cache(ends, epoch));
    }
    return next.get(epoch);
  }

  boolean contains(long epoch) {
    return last != null && epoch >= Math.max(0, first) && epoch <= last.epoch() && there.get(index(epoch));
  }

  /** The first epoch behind a given one that is not recorded. */
  long firstGapAfter(long epoch) {
    return Math.max(0, first) + there.nextClearBit(index(epoch + 1));
  }

  /** Whether there is a later one. */
  boolean isFollowed(long epoch) {
    return last != null && last.epoch() > epoch;
  }

  /** The latest, or null if there is none. */
  EpochEnds last() {
    return last;
  }

  /** Drops the epochs before a given one. */
  void dropBefore(long epoch) {
    next.headMap(epoch, false).clear();
  }

  /** How many are in memory. */
  int inMemory() {
    return next.size();
  }

  /** Only this epoch. */
  static RecordedEpochs of(EpochEnds only) {
    RecordedEpochs out = new RecordedEpochs(only.query(), only.epoch(), 1);
    out.add(only, 0);
    return out;
  }
}
