package io.holdfast.kernel.source;

import io.holdfast.kernel.Checks;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/** The ticks of idle topics: they are recorded with the offsets, and continue after a restart. */
public final class TickScheduleTest {
  private static final Checks CHECK = new Checks();
  private static final String KAFKA = "{\"a\":{\"0\":%d},\"b\":{\"0\":%d}}";
  private static final Map<String, Long> LIMITS = Map.of("a", 1_000L, "b", 1_000L);
  private static final AtomicLong CLOCK = new AtomicLong(1_000_000);

  private TickScheduleTest() {}

  public static void main(String[] args) {
    TickOffset stopped = idle();
    restart(stopped);
    repeated();
    wall();
    stamped();
    live();
    deafBroker();
    drain();
    CHECK.end();
  }

  private static TickSchedule ticks(Map<String, Long> limits, boolean closing, boolean wall, boolean stamped) {
    return new TickSchedule(
        new SourceConfig("q", List.of("a", "b"), Set.of(), 1, 1, limits, TimeLimits.NONE, closing, wall, stamped, 1, 1, Map.of()), CLOCK::get);
  }

  private static TickOffset offset(int a, int b) {
    return TickOffset.of(KAFKA.formatted(a, b));
  }

  private static TickOffset end(TickSchedule ticks, TickOffset start, int a, int b) {
    // As Spark does, which has the offsets in its log as text.
    return TickOffset.of(ticks.end(start, KAFKA.formatted(a, b), Set.of()).json());
  }

  private static TickOffset idle() {
    TickSchedule ticks = ticks(LIMITS, false, false, false);
    TickOffset start = end(ticks, offset(0, 0), 1, 0);
    CHECK.equal("nothing is idle at first", Map.of(), start.idle);
    CHECK.equal("something has come to one topic", Map.of("a", 1_000_000L), start.arrived);
    CLOCK.addAndGet(999);
    CHECK.equal("nor before the limit", start, ticks.end(start, start.kafka, Set.of()));
    CLOCK.addAndGet(1);
    TickOffset both = end(ticks, start, 1, 0);
    CHECK.equal("both are idle", Map.of("a", 1_000L, "b", 1_000L), both.idle);
    CLOCK.addAndGet(100);
    CHECK.equal("that is not reported all the time", both, ticks.end(both, both.kafka, Set.of()));
    TickOffset one = end(ticks, both, 1, 1);
    CHECK.equal("one is, and a batch of the other reports it", Map.of("a", 1_100L), one.idle);
    CHECK.equal("both have had something", Map.of("a", 1_000_000L, "b", 1_001_100L), one.arrived);
    return one;
  }

  private static void restart(TickOffset stopped) {
    CLOCK.addAndGet(1_000_000);
    TickSchedule ticks = ticks(LIMITS, false, false, false);
    CHECK.equal("a run that begins waits for the whole limit", stopped, ticks.end(stopped, stopped.kafka, Set.of()));
    CLOCK.addAndGet(1_000);
    TickOffset idle = end(ticks, stopped, 1, 1);
    CHECK.equal("the time before the start counts", Map.of("a", 1_002_100L, "b", 1_001_000L), idle.idle);
    CHECK.equal("new records end it", Map.of("b", 1_001_000L), end(ticks, idle, 2, 1).idle);
  }

  private static void repeated() {
    TickOffset end = new TickOffset(KAFKA.formatted(1, 1), Map.of("a", 5_000L), Map.of("a", 1L), 77);
    String before = ticks(LIMITS, false, false, false).partition(end).toString();
    CLOCK.addAndGet(60_000);
    CHECK.equal("a repeated batch has the same ticks", before, ticks(LIMITS, false, false, false).partition(end).toString());
  }

  private static void wall() {
    TickSchedule ticks = ticks(Map.of(), false, true, false);
    WallClockTimers.set("q", Long.MAX_VALUE);
    TickOffset end = end(ticks, offset(0, 0), 1, 0);
    CHECK.equal("the clock is recorded", CLOCK.get(), end.now);
    CLOCK.addAndGet(1_000);
    CHECK.equal("and repeated as it was", end.now, ticks.partition(end).clock());
    CHECK.equal("no timer is due", end, ticks.end(end, end.kafka, Set.of()));
  }

  private static void stamped() {
    TickSchedule ticks = ticks(Map.of(), false, false, true);
    TickOffset end = end(ticks, offset(0, 0), 1, 0);
    CHECK.equal("the clock is recorded where records take their time from it", CLOCK.get(), end.now);
    CLOCK.addAndGet(1_000);
    CHECK.equal("no timer is due for it", end, ticks.end(end, end.kafka, Set.of()));
    CHECK.equal("and there are no ticks", false, ticks.sendsTicks());
  }

  /** Then it is not known whether topics are idle, and no task fails. */
  private static void deafBroker() {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", "127.0.0.1:1", "key.deserializer", ByteArrayDeserializer.class.getName(),
        "value.deserializer", ByteArrayDeserializer.class.getName());
    try (TopicEnds ends = new TopicEnds(settings, Duration.ofMillis(50))) {
      CHECK.equal("while Kafka does not answer", Optional.empty(), ends.of(Set.of(new TopicPartition("a", 0))));
    }
  }

  private static void live() {
    long began = CLOCK.get();
    TickSchedule ticks = ticks(LIMITS, false, false, false);
    CLOCK.addAndGet(60_000);
    TopicPartition partition = new TopicPartition("a", 0);
    LiveTicks epoch = ticks.live(new HashMap<>(Map.of(partition, 5L)), Map.of("a", 7L), Map.of(), 0);
    CHECK.equal("a later epoch is not a beginning", began, epoch.began());
    CHECK.equal("it continues from the one before", Map.of("a", 7L), epoch.arrived());
    PartitionOffset[] ends = {
      new LiveOffset(new HashMap<>(Map.of(partition, 6L)), new HashMap<>()), new LiveOffset(new HashMap<>(), new HashMap<>(Map.of("a", 9L)))
    };
    TickOffset end = TickOffset.of(LiveOffset.merged(ends));
    CHECK.equal("and hands on what came", Map.of("a", 9L), end.arrived);
    CHECK.equal("with how far it has read", "{\"a\":{\"0\":6}}", end.kafka);
  }

  private static void drain() {
    TickSchedule ticks = ticks(LIMITS, false, false, false);
    ticks.drain();
    TickOffset read = end(ticks, offset(0, 0), 1, 0);
    CHECK.equal("nothing is idle while there is something to read", Map.of(), read.idle);
    TickOffset done = end(ticks, read, 1, 0);
    CHECK.equal("at the end all is drained", Map.of("a", TickOffset.DRAINED, "b", TickOffset.DRAINED), done.idle);
    CHECK.equal("by the clock", CLOCK.get(), done.now);
    CHECK.equal("once", done, ticks.end(done, done.kafka, Set.of()));
    CLOCK.addAndGet(2_000);
    TickSchedule demo = ticks(LIMITS, true, false, false);
    CLOCK.addAndGet(1_000);
    CHECK.equal("a demo does so when nothing comes", done.idle, end(demo, done, 1, 0).idle);
  }
}
