package io.holdfast.kernel.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.apache.kafka.common.TopicPartition;

/**
 * Chooses where a batch ends when there is more input than it may take: at one common time in all partitions, so that a batch has the records
 * that would have come by then, and a later record of a stream never overtakes a row of a table.
 *
 * <p>The first offset at or after a time is where the running maximum of the partition's timestamps reaches it, so the batch ends along the
 * total order.
 */
final class Alignment {
  /** Queries of offsets and times in Kafka. */
  interface Log {
    /** Per partition the first record whose time is at or after the given one; absent if there is none. */
    Map<TopicPartition, RecordPosition> firstAtOrAfter(Set<TopicPartition> partitions, long time);

    /** Per partition the first records from the one offset on and before the other; absent if there are none. */
    Map<TopicPartition, Head> heads(Map<TopicPartition, Long> from, Map<TopicPartition, Long> until);

    /** Per partition the first offset that has not expired. */
    Map<TopicPartition, Long> earliest(Set<TopicPartition> partitions);
  }

  /** A record that was found by its time. */
  record RecordPosition(long offset, long time) {}

  /** The first record to read of a partition: its offset, the first time from there that is not refused, and the mean size of the records. */
  record Head(long offset, long time, double bytes) {}

  /** A batch that is this full needs no better end. */
  private static final double ENOUGH = 0.9;
  private static final int GUESSES = 4;
  private static final Head NOTHING = new Head(Long.MAX_VALUE, Long.MAX_VALUE, 0);
  private final Log log;
  private final Set<String> tables;
  private final List<String> topics;
  private final long maxRecords;
  private final long maxBytes;
  private final BiPredicate<String, Long> isRefused;
  /** The mean size of records that was seen last, per partition. */
  private final Map<TopicPartition, Double> sizes = new HashMap<>();
  /** How many milliseconds the last batch spanned that did not take the whole backlog. */
  private long span = 1;

  /**
   * @param isRefused whether records of a topic with such a time are refused
   */
  Alignment(Log log, List<String> topics, Set<String> tables, long maxRecords, long maxBytes, BiPredicate<String, Long> isRefused) {
    this.log = log;
    this.topics = topics;
    this.tables = tables;
    this.maxRecords = maxRecords;
    this.maxBytes = maxBytes;
    this.isRefused = isRefused;
  }

  /** Where the batch ends. */
  Map<TopicPartition, Long> ends(Map<TopicPartition, Long> start, Map<TopicPartition, Long> latest) {
    Backlog backlog = new Backlog(begun(start, latest), latest);
    // A few records are never too many, and if far larger ones than the last would fit, sizes need not be read.
    if (backlog.records(latest) <= Math.min(maxRecords, maxBytes / (1 << 20)) || backlog.fitsEvenIfLarger()) {
      return latest;
    }
    backlog.look();
    return backlog.fits(latest) ? latest : commonEnd(backlog);
  }

  /** Where the batch begins: partitions that are new begin with their earliest record, which need not have offset 0. */
  private Map<TopicPartition, Long> begun(Map<TopicPartition, Long> start, Map<TopicPartition, Long> latest) {
    Set<TopicPartition> added = new HashSet<>(latest.keySet());
    added.removeAll(start.keySet());
    if (added.isEmpty()) {
      return start;
    }
    Map<TopicPartition, Long> all = new HashMap<>(start);
    all.putAll(log.earliest(added));
    return all;
  }

  private Map<TopicPartition, Long> commonEnd(Backlog backlog) {
    long low = backlog.heads.values().stream().mapToLong(Head::time).min().orElse(0);
    Map<TopicPartition, Long> best = backlog.before(low + 1);
    if (!backlog.fits(best)) {
      return sameTime(backlog, best);
    }
    long fits = 0;
    long step = span;
    Map<TopicPartition, Long> next = backlog.before(low + 1 + step);
    while (backlog.fits(next) && !next.equals(backlog.latest)) {
      best = next;
      fits = step;
      step *= 2;
      next = backlog.before(low + 1 + step);
    }
    return between(backlog, low + 1, new BatchEnd(fits, best), new BatchEnd(step, next));
  }

  /** An end of the batch, so long after its first record. */
  private record BatchEnd(long after, Map<TopicPartition, Long> end) {}

  /** The largest end that fits, or nearly, between a time that fits and one that does not. */
  private Map<TopicPartition, Long> between(Backlog backlog, long low, BatchEnd fits, BatchEnd tooFar) {
    BatchEnd from = fits;
    BatchEnd to = tooFar;
    for (int tries = 0; to.after - from.after > 1 && backlog.share(from.end) < ENOUGH; tries++) {
      long middle = from.after + between(backlog, from, to, tries);
      BatchEnd candidate = new BatchEnd(middle, backlog.before(low + middle));
      if (backlog.fits(candidate.end)) {
        from = candidate;
      } else {
        to = candidate;
      }
    }
    span = Math.max(1, from.after);
    Map<TopicPartition, Long> end = from.end;
    // No record up to one time and too many up to the next: earlier records of the partition have later times than the next to read.
    return backlog.records(end) > 0 ? end : sameTime(backlog, to.end);
  }

  /** An interpolated end, which fits if records come evenly; half-way after several wrong guesses. */
  private static long between(Backlog backlog, BatchEnd from, BatchEnd to, int tries) {
    long range = to.after - from.after;
    double low = backlog.share(from.end);
    double guess = tries < GUESSES ? ((1 + ENOUGH) / 2 - low) / (backlog.share(to.end) - low) : 0.5;
    return Math.max(1, Math.min(range - 1, Math.round(range * guess)));
  }

  /** The end if one millisecond has more records than a batch may take: those that come first in the total order. */
  private Map<TopicPartition, Long> sameTime(Backlog backlog, Map<TopicPartition, Long> wanted) {
    List<TopicPartition> order = new ArrayList<>(wanted.keySet());
    order.sort(Comparator.<TopicPartition>comparingInt(p -> tables.contains(p.topic()) ? 0 : 1)
        .thenComparingInt(p -> topics.indexOf(p.topic())).thenComparingInt(TopicPartition::partition));
    Map<TopicPartition, Long> end = new HashMap<>(backlog.from);
    double room = 1;
    for (TopicPartition p : order) {
      long there = wanted.get(p) - backlog.from.get(p);
      long taken = Math.min(there, Math.max(room == 1 ? 1 : 0, (long) (room / backlog.cost(p))));
      end.put(p, backlog.from.get(p) + taken);
      room -= taken * backlog.cost(p);
      if (taken < there) {
        break;
      }
    }
    return end;
  }

  /** The records that are not read yet, and their sizes. */
  private final class Backlog {
    private final Map<TopicPartition, Long> from = new HashMap<>();
    private final Map<TopicPartition, Long> latest;
    private Map<TopicPartition, Head> heads = Map.of();
    private final Map<TopicPartition, Map<Long, Head>> probes = new HashMap<>();

    Backlog(Map<TopicPartition, Long> start, Map<TopicPartition, Long> latest) {
      this.latest = latest;
      latest.forEach((p, end) -> from.put(p, Math.min(end, start.get(p))));
    }

    /** Finds the first records. Offsets before them are no records: they have expired, or were compacted away. */
    void look() {
      heads = log.heads(from, latest);
      heads.forEach((p, head) -> sizes.put(p, head.bytes));
      from.replaceAll((p, offset) -> heads.containsKey(p) ? Math.min(latest.get(p), heads.get(p).offset) : latest.get(p));
    }

    long records(Map<TopicPartition, Long> end) {
      return end.entrySet().stream().mapToLong(e -> e.getValue() - from.get(e.getKey())).sum();
    }

    /** The share of a batch's limits that one record of the partition takes. */
    double cost(TopicPartition p) {
      Head head = heads.get(p);
      return Math.max(1.0 / maxRecords, head == null ? 0 : head.bytes / maxBytes);
    }

    double share(Map<TopicPartition, Long> end) {
      double share = 0;
      for (Map.Entry<TopicPartition, Long> e : end.entrySet()) {
        share += (e.getValue() - from.get(e.getKey())) * cost(e.getKey());
      }
      return share;
    }

    /** Whether everything would fit if records were eight times as large as the last ones. */
    boolean fitsEvenIfLarger() {
      double share = 0;
      for (Map.Entry<TopicPartition, Long> e : latest.entrySet()) {
        long records = e.getValue() - from.get(e.getKey());
        if (records > 0 && !sizes.containsKey(e.getKey())) {
          return false;
        }
        share += records * Math.max(1.0 / maxRecords, 8 * sizes.getOrDefault(e.getKey(), 0.0) / maxBytes);
      }
      return share <= 1;
    }

    boolean fits(Map<TopicPartition, Long> end) {
      return share(end) <= 1;
    }

    Map<TopicPartition, Long> before(long time) {
      Map<TopicPartition, RecordPosition> found = log.firstAtOrAfter(latest.keySet(), time);
      Map<TopicPartition, Long> end = new HashMap<>();
      latest.forEach((p, last) -> end.put(p, Math.max(from.get(p), Math.min(last, first(p, found.get(p), time)))));
      return end;
    }

    private long first(TopicPartition p, RecordPosition found, long time) {
      if (found == null) {
        return latest.get(p);
      }
      return isRefused.test(p.topic(), found.time) ? sought(p, time) : found.offset;
    }

    /** The first offset of a time where Kafka finds only a record that is refused, which would delay its partition until all others are read. */
    private long sought(TopicPartition p, long time) {
      long low = from.get(p);
      long high = latest.get(p);
      while (low < high) {
        long middle = (low + high) >>> 1;
        Head head = probes.computeIfAbsent(p, q -> new HashMap<>()).computeIfAbsent(middle, at -> log.heads(Map.of(p, at), latest).getOrDefault(p, NOTHING));
        if (head.time >= time) {
          high = middle;
        } else {
          low = Math.max(middle, head.offset) + 1;
        }
      }
      return low;
    }
  }
}
