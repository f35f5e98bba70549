package io.holdfast.kernel.source;

import io.holdfast.kernel.Checks;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.apache.kafka.common.TopicPartition;

/** Batches of a backlog: never too large, nearly full, found with few requests, and all partitions end at one time. */
public final class AlignmentTest {
  private static final Checks CHECK = new Checks();
  private static final int MOST = 1000;
  /** Behind all that records have. */
  private static final long FAR = 1L << 60;
  private static final BiPredicate<String, Long> REFUSED = (topic, time) -> time >= FAR;

  private AlignmentTest() {}

  public static void main(String[] args) {
    batches("even", 4, 30_000, random -> random.nextInt(2));
    batches("bursts", 3, 10_000, random -> random.nextInt(200) == 0 ? 500 : 0);
    batches("gaps", 2, 10_000, random -> random.nextInt(1000) == 0 ? 10_000_000 : random.nextInt(3));
    beginnings("a new partition whose beginning has expired", false);
    beginnings("a partition whose next records have expired", true);
    bytesOfNewPartitions();
    nothingButGaps();
    refused(1);
    refused(700);
    refused(9_999);
    CHECK.end();
  }

  /** Offsets that have expired are no records: what is there is taken at once, and batches of a larger backlog are not empty. */
  private static void beginnings(String name, boolean known) {
    TopicPartition old = new TopicPartition("t", 0);
    TopicPartition other = new TopicPartition("t", 1);
    for (int records : new int[] {MOST / 4, 3 * MOST}) {
      FakeLog log = new FakeLog(2, records, random -> 1);
      log.expired[1] = 1_000_000;
      Alignment alignment = new Alignment(log, List.of("t"), Set.of(), MOST, Long.MAX_VALUE, REFUSED);
      Map<TopicPartition, Long> start = new HashMap<>(known ? Map.of(old, 0L, other, 10L) : Map.of(old, 0L));
      Map<TopicPartition, Long> latest = Map.of(old, (long) records, other, 1_000_000L + records);
      int batches = 0;
      while (!start.equals(latest) && batches < 100) {
        Map<TopicPartition, Long> end = alignment.ends(start, latest);
        long size = end.get(old) - start.get(old) + end.get(other) - Math.max(1_000_000, start.getOrDefault(other, 0L));
        CHECK.equal(name + ": a batch has records, and not too many: " + size, true, size > 0 && size <= MOST);
        CHECK.equal(name + ": no offset before the earliest", true, end.get(other) >= 1_000_000);
        start = end;
        batches++;
      }
      CHECK.equal(name + ": few batches: " + batches, true, batches <= 2 * records / (MOST * 0.9) + 1);
    }
  }

  /** The limit of bytes holds for a partition that was not there before, too. */
  private static void bytesOfNewPartitions() {
    TopicPartition fresh = new TopicPartition("t", 1);
    FakeLog log = new FakeLog(2, 5_000, random -> 1);
    log.expired[1] = 500;
    log.bytes = 1 << 20;
    Alignment alignment = new Alignment(log, List.of("t"), Set.of(), MOST, 100L << 20, REFUSED);
    Map<TopicPartition, Long> end = alignment.ends(Map.of(new TopicPartition("t", 0), 0L), Map.of(new TopicPartition("t", 0), 0L, fresh, 5_500L));
    CHECK.equal("100 MB of records of 1 MB: " + end.get(fresh), true, end.get(fresh) > 580 && end.get(fresh) <= 600);
  }

  /** What is left of aborted transactions: offsets, and no record. */
  private static void nothingButGaps() {
    TopicPartition empty = new TopicPartition("t", 1);
    FakeLog log = new FakeLog(2, 10, random -> 1);
    log.expired[1] = 1_000_000;
    Map<TopicPartition, Long> latest = Map.of(new TopicPartition("t", 0), 10L, empty, 900_000L);
    Map<TopicPartition, Long> end = new Alignment(log, List.of("t"), Set.of(), MOST, Long.MAX_VALUE, REFUSED)
        .ends(Map.of(new TopicPartition("t", 0), 0L, empty, 5L), latest);
    CHECK.equal("offsets without records are passed at once", latest, end);
  }

  /** Records that are refused for their times, one far ahead and some at the end of time, hold up their partition nowhere. */
  private static void refused(int at) {
    int records = 10_000;
    FakeLog log = new FakeLog(2, records, random -> 1);
    log.times[0][0] = Long.MAX_VALUE;
    log.times[0][at] = FAR;
    log.times[0][at / 2] = Long.MAX_VALUE;
    Alignment alignment = new Alignment(log, List.of("t"), Set.of(), MOST, Long.MAX_VALUE, REFUSED);
    Map<TopicPartition, Long> start = log.at(0);
    Map<TopicPartition, Long> latest = log.at(records);
    int batches = 0;
    while (!start.equals(latest) && batches++ < 1000) {
      Map<TopicPartition, Long> end = alignment.ends(start, latest);
      long size = total(end) - total(start);
      CHECK.equal("refused at " + at + ": a batch has records, and not too many: " + size, true, size > 0 && size <= MOST);
      CHECK.equal("refused at " + at + ": no partition is delayed", true,
          Math.abs(end.get(new TopicPartition("t", 0)) - end.get(new TopicPartition("t", 1))) <= 2);
      start = end;
    }
    CHECK.equal("refused at " + at + ": few batches: " + batches, true, batches <= 2 * records / (MOST * 0.8) + 1);
  }

  private interface Pause {
    int after(Random random);
  }

  private static void batches(String name, int partitions, int records, Pause pause) {
    FakeLog log = new FakeLog(partitions, records, pause);
    Alignment alignment = new Alignment(log, List.of("t"), Set.of(), MOST, Long.MAX_VALUE, REFUSED);
    Map<TopicPartition, Long> start = log.at(0);
    Map<TopicPartition, Long> latest = log.at(records);
    int batches = 0;
    int asked = 0;
    while (!start.equals(latest)) {
      log.asked = 0;
      Map<TopicPartition, Long> end = alignment.ends(start, latest);
      long size = total(end) - total(start);
      CHECK.equal(name + ": a batch has records, and not too many", true, size > 0 && size <= MOST);
      CHECK.equal(name + ": nothing is overtaken", true, log.isAligned(start, end));
      start = end;
      batches++;
      asked += batches == 1 ? 0 : log.asked;
    }
    if (name.equals("even")) {
      CHECK.equal("nearly full: " + batches, true, batches <= partitions * records / (MOST * 0.9) + 1);
      CHECK.equal("few requests: " + (double) asked / batches, true, asked < 5 * batches);
    }
  }

  private static long total(Map<TopicPartition, Long> offsets) {
    return offsets.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Times of records by partition and offset. */
  private static final class FakeLog implements Alignment.Log {
    private final long[][] times;
    /** By partition, how many offsets before the first record have none any more. */
    private final long[] expired;
    private double bytes;
    private int asked;

    FakeLog(int partitions, int records, Pause pause) {
      Random random = new Random(1);
      times = new long[partitions][records];
      expired = new long[partitions];
      long now = 1000;
      for (int i = 0; i < records; i++) {
        for (int p = 0; p < partitions; p++) {
          now += pause.after(random);
          times[p][i] = now;
        }
      }
    }

    Map<TopicPartition, Long> at(long offset) {
      Map<TopicPartition, Long> out = new HashMap<>();
      for (int p = 0; p < times.length; p++) {
        out.put(new TopicPartition("t", p), offset);
      }
      return out;
    }

    /** Whether what is read has no later time than what is not read yet. */
    boolean isAligned(Map<TopicPartition, Long> start, Map<TopicPartition, Long> end) {
      long read = Long.MIN_VALUE;
      long unread = Long.MAX_VALUE;
      for (Map.Entry<TopicPartition, Long> e : end.entrySet()) {
        long[] mine = times[e.getKey().partition()];
        int at = e.getValue().intValue();
        read = at > start.get(e.getKey()) ? Math.max(read, mine[at - 1]) : read;
        unread = at < mine.length ? Math.min(unread, mine[at]) : unread;
      }
      return read <= unread;
    }

    @Override
    public Map<TopicPartition, Alignment.RecordPosition> firstAtOrAfter(Set<TopicPartition> partitions, long time) {
      asked++;
      Map<TopicPartition, Alignment.RecordPosition> out = new TreeMap<>((a, b) -> a.partition() - b.partition());
      for (TopicPartition p : partitions) {
        long[] mine = times[p.partition()];
        int first = 0;
        while (first < mine.length && mine[first] < time) {
          first++;
        }
        if (first < mine.length) {
          out.put(p, new Alignment.RecordPosition(expired[p.partition()] + first, mine[first]));
        }
      }
      return out;
    }

    @Override
    public Map<TopicPartition, Alignment.Head> heads(Map<TopicPartition, Long> from, Map<TopicPartition, Long> until) {
      Map<TopicPartition, Alignment.Head> out = new HashMap<>();
      from.forEach((p, offset) -> {
        long first = expired[p.partition()];
        int at = (int) Math.max(0, offset - first);
        if (at < times[p.partition()].length && first + at < until.get(p)) {
          long time = Arrays.stream(times[p.partition()]).skip(at).limit(10).filter(t -> t < FAR).findFirst().orElse(0);
          out.put(p, new Alignment.Head(first + at, time, bytes));
        }
      });
      return out;
    }

    @Override
    public Map<TopicPartition, Long> earliest(Set<TopicPartition> partitions) {
      Map<TopicPartition, Long> out = new HashMap<>();
      partitions.forEach(p -> out.put(p, expired[p.partition()]));
      return out;
    }
  }
}
