package io.holdfast.kernel.source;

import io.holdfast.kernel.source.TickPartition.TopicTick;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/** Decides which ticks the tasks get: idle topics and the wall clock. */
final class TickSchedule {
  private final SourceConfig config;
  private final Map<String, Long> limits;
  private final LongSupplier clock;
  private final IdleTopics idle;
  private final Map<String, Long> reported = new HashMap<>();
  private boolean draining;
  private boolean drained;

  TickSchedule(SourceConfig config, LongSupplier clock) {
    this.config = config;
    this.limits = config.idle();
    this.clock = clock;
    this.idle = new IdleTopics(limits, clock.getAsLong());
  }

  /** Whether offsets have more than the Kafka offsets. */
  boolean isOn() {
    return sendsTicks() || config.stamped();
  }

  /** Whether the tasks get ticks. */
  boolean sendsTicks() {
    return config.wall() || !limits.isEmpty();
  }

  /** The run is a drain: at the end of the present records windows and timers close by the wall clock. */
  void drain() {
    draining = true;
  }

  /**
   * The end of the next batch: the Kafka offsets, with the idle topics to report; the start itself if there is nothing to do.
   *
   * @param waiting topics with records that the batch does not take yet: they are not idle
   */
  TickOffset end(TickOffset start, String kafkaEnd, Set<String> waiting) {
    long now = clock.getAsLong();
    idle.resume(start.arrived);
    Set<String> arriving = changed(start.kafka, kafkaEnd);
    Stream.concat(arriving.stream(), waiting.stream()).forEach(topic -> {
      idle.arrived(topic, now);
      reported.remove(topic);
    });
    if (draining) {
      return drainedEnd(start, kafkaEnd, arriving, now);
    }
    Map<String, Long> found = idle.at(now);
    boolean due = found.entrySet().stream().anyMatch(e -> e.getValue() >= nextTime(e.getKey()));
    if (!due && arriving.isEmpty() && !isAwaited(now)) {
      return start;
    }
    reported.putAll(found);
    return offset(kafkaEnd, config.closing() ? allDrained(found.keySet()) : found, now);
  }

  /** Whether a wall-clock timer is due. */
  private boolean isAwaited(long now) {
    return config.wall() && WallClockTimers.isDue(config.query(), now);
  }

  private TickOffset offset(String kafkaEnd, Map<String, Long> found, long now) {
    return new TickOffset(kafkaEnd, found, idle.arrivals(), config.wall() || config.stamped() || !found.isEmpty() ? now : 0);
  }

  private TickOffset drainedEnd(TickOffset start, String kafkaEnd, Set<String> arriving, long now) {
    if (!arriving.isEmpty()) {
      return offset(kafkaEnd, Map.of(), now);
    }
    if (drained) {
      return start;
    }
    drained = true;
    Map<String, Long> all = allDrained(limits.keySet());
    return all.isEmpty() && !isAwaited(now) ? start : offset(kafkaEnd, all, now);
  }

  private Map<String, Long> allDrained(Set<String> topics) {
    Map<String, Long> out = new TreeMap<>();
    topics.stream().filter(topic -> limits.get(topic) > 0).forEach(topic -> out.put(topic, TickOffset.DRAINED));
    return out;
  }

  /** When the idleness of a topic is reported again, at growing intervals. */
  private long nextTime(String topic) {
    return nextTime(reported.get(topic), limits.get(topic));
  }

  /**
   * @param last the idle time that was reported last; null if none was
   */
  static long nextTime(Long last, long limit) {
    return last == null ? 0 : last + Math.max(limit, last / 4);
  }

  static Set<String> changed(String start, String end) {
    Map<TopicPartition, Long> before = OffsetJson.of(start);
    Set<String> out = new HashSet<>();
    OffsetJson.of(end).forEach((partition, offset) -> {
      if (!offset.equals(before.get(partition))) {
        out.add(partition.topic());
      }
    });
    return out;
  }

  /**
   * The ticks of a batch in real-time mode.
   *
   * @param from where the batch begins
   * @param arrived when a record last came to the topics before it
   */
  LiveTicks live(HashMap<TopicPartition, Long> from, Map<String, Long> arrived, Map<String, Object> settings, long until) {
    from.keySet().removeIf(partition -> !limits.containsKey(partition.topic()));
    return new LiveTicks(
        config.query(), from, new HashMap<>(limits), idle.began(), new HashMap<>(arrived), config.closing(), config.wall(), settings, until);
  }

  /** Adds the wall-clock time of the batch to its partitions, if records need it. */
  InputPartition[] clocked(InputPartition[] ranges, Offset end) {
    long now = config.stamped() ? TickOffset.of(end.json()).now : 0;
    // An offset of an earlier version does not have the time.
    return now == 0 ? ranges : Arrays.stream(ranges)
        .map(range -> new ClockedPartition((KafkaBatchInputPartition) range, now)).toArray(InputPartition[]::new);
  }

  /** The ticks of the batch with this end. */
  TickPartition partition(Offset end) {
    TickOffset ticks = TickOffset.of(end.json());
    Map<String, Integer> partitions = new HashMap<>();
    OffsetJson.of(ticks.kafka).keySet().forEach(p -> partitions.merge(p.topic(), 1, Integer::sum));
    ArrayList<TopicTick> out = new ArrayList<>();
    limits.keySet().forEach(topic ->
        out.add(new TopicTick(topic, partitions.getOrDefault(topic, 0), ticks.idle.getOrDefault(topic, -1L), ticks.now)));
    return new TickPartition(out, config.wall() ? ticks.now : 0);
  }
}
