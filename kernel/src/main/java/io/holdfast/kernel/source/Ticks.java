package io.holdfast.kernel.source;

import io.holdfast.kernel.source.TickPartition.Told;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.streaming.Offset;

/** Decides when the tasks hear of silent topics and of the clock, and what. */
final class Ticks {
  private final Map<String, Long> idle;
  private final String query;
  private final boolean wall;
  private final Silence silence;
  private final Map<String, Long> told = new HashMap<>();
  private boolean draining;
  private boolean drained;

  /**
   * @param query whose {@link Alarm} it listens to
   * @param wall whether tasks ask for the clock's time
   */
  Ticks(Map<String, Long> idle, String query, boolean wall) {
    this.idle = idle;
    this.query = query;
    this.wall = wall;
    this.silence = new Silence(idle, System.currentTimeMillis());
  }

  boolean isOn() {
    return wall || !idle.isEmpty();
  }

  /** No more than what is there now will be read, so that the end of it is the beginning of a silence. */
  void drain() {
    draining = true;
  }

  /**
   * The end of the next batch: Kafka's, with the silence that is to be told; the start itself if there is nothing to do.
   *
   * @param waiting topics with records that the batch does not take yet: they are not silent
   */
  TickOffset end(TickOffset start, String kafkaEnd, Set<String> waiting) {
    long now = System.currentTimeMillis();
    Set<String> arriving = changed(start.kafka, kafkaEnd);
    Stream.concat(arriving.stream(), waiting.stream()).forEach(topic -> {
      silence.arrived(topic, now);
      told.remove(topic);
    });
    if (draining) {
      return drainedEnd(start, kafkaEnd, arriving, now);
    }
    Map<String, Long> due = new HashMap<>(silence.at(now));
    due.entrySet().removeIf(e -> e.getValue() < nextTime(e.getKey()));
    told.putAll(due);
    return due.isEmpty() && arriving.isEmpty() && !isAwaited(now) ? start : offset(kafkaEnd, due, now);
  }

  /** Whether somebody waits for the clock to say what it says now. */
  private boolean isAwaited(long now) {
    return wall && Alarm.isDue(query, now);
  }

  private TickOffset offset(String kafkaEnd, Map<String, Long> due, long now) {
    return new TickOffset(kafkaEnd, due, wall || !due.isEmpty() ? now : 0);
  }

  private TickOffset drainedEnd(TickOffset start, String kafkaEnd, Set<String> arriving, long now) {
    if (!arriving.isEmpty()) {
      return offset(kafkaEnd, Map.of(), now);
    }
    if (drained) {
      return start;
    }
    drained = true;
    Map<String, Long> all = new HashMap<>();
    idle.forEach((topic, limit) -> {
      if (limit > 0) {
        all.put(topic, 0L);
      }
    });
    return all.isEmpty() && !isAwaited(now) ? start : offset(kafkaEnd, all, now);
  }

  /** A silence is told again and again, but ever more rarely. */
  private long nextTime(String topic) {
    Long last = told.get(topic);
    return last == null ? 0 : last + Math.max(idle.get(topic), last / 4);
  }

  static Set<String> changed(String start, String end) {
    Map<TopicPartition, Long> before = Offsets.of(start);
    Set<String> out = new HashSet<>();
    Offsets.of(end).forEach((partition, offset) -> {
      if (!offset.equals(before.get(partition))) {
        out.add(partition.topic());
      }
    });
    return out;
  }

  /** What tells the tasks of time in a batch that ends by the clock. */
  LiveTicks live(ArrayList<TopicPartition> partitions, Map<String, Object> settings, long until) {
    partitions.removeIf(partition -> !idle.containsKey(partition.topic()));
    return new LiveTicks(query, partitions, new HashMap<>(idle), wall, settings, until);
  }

  /** What the tasks hear in the batch that ends there. */
  TickPartition partition(Offset end) {
    TickOffset ticks = TickOffset.of(end.json());
    Map<String, Integer> partitions = new HashMap<>();
    Offsets.of(ticks.kafka).keySet().forEach(p -> partitions.merge(p.topic(), 1, Integer::sum));
    ArrayList<Told> out = new ArrayList<>();
    idle.forEach((topic, limit) -> {
      Long silent = ticks.silence.get(topic);
      // At the end of a drain the clock itself is the time; while waiting, what may still be on its way has the limit.
      long floor = silent == null ? Long.MIN_VALUE : ticks.now - (silent == 0 ? 0 : limit);
      out.add(new Told(topic, partitions.getOrDefault(topic, 0), silent == null ? -1 : silent, floor));
    });
    return new TickPartition(out, wall ? ticks.now : 0);
  }
}
