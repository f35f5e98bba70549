package io.holdfast.kernel.source;

import io.holdfast.kernel.records.Tick;
import io.holdfast.kernel.source.TickPartition.TopicTick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/**
 * Ticks in real-time mode: idle topics, the wall clock, and, now and then, an empty tick, so that tasks report their counters.
 *
 * @param from the partitions of the topics whose idleness is reported, and where the batch begins
 * @param limits after how many milliseconds each topic counts as idle; 0: never
 * @param began when the query began: an epoch may be shorter than the time after which a topic is idle
 * @param arrived when a record last came to the topics before the batch
 * @param closing whether windows and timers close by the wall clock when a topic is idle, as at the end of a drain
 */
record LiveTicks(
    String query, HashMap<TopicPartition, Long> from, HashMap<String, Long> limits, long began, HashMap<String, Long> arrived,
    boolean closing, boolean wall, Map<String, Object> settings, long until)
    implements InputPartition {
  private static final long EVERY_MILLIS = 100;
  private static final long NOTHING_MILLIS = 1_000;
  private static final long LOOK_MILLIS = 20;
  private static final Duration KAFKA_TIMEOUT = Duration.ofSeconds(10);

  SupportsRealTimeRead<InternalRow> reader(IngestFactory program) {
    return new Reader(this, program);
  }

  boolean isOver() {
    return System.currentTimeMillis() >= until || AdmissionGate.isClosed(query);
  }

  private static final class Reader implements SupportsRealTimeRead<InternalRow> {
    private final LiveTicks config;
    private final IngestFactory program;
    private final PayloadRow row = new PayloadRow(64);
    private final IdleTopics idle;
    private final Map<String, Long> reported = new HashMap<>();
    private final Map<TopicPartition, Long> ends;
    private final TopicEnds topicEnds;
    /** Whether the readers are in this process: only then their positions are known. */
    private final boolean readersAreLocal = SparkEnv.get().executorId().equals("driver");
    private List<Tick> ticks = List.of();
    private int next;
    private long sentAt = System.currentTimeMillis();
    private byte[] payload;

    Reader(LiveTicks config, IngestFactory program) {
      this.config = config;
      this.program = program;
      this.next = program.labels().size();
      this.idle = new IdleTopics(config.limits, config.began);
      this.idle.resume(config.arrived);
      this.ends = new HashMap<>(config.from);
      this.topicEnds = new TopicEnds(PartitionConsumer.authenticated(config.settings), KAFKA_TIMEOUT);
    }

    @Override
    public RecordStatus nextWithTimeout(Long timeout) {
      while (next >= program.labels().size()) {
        TaskContext.get().killTaskIfInterrupted();
        if (config.isOver()) {
          return RecordStatus.newStatusWithoutArrivalTime(false);
        }
        poll();
      }
      payload = Tick.encode(program.labels().get(next++), ticks);
      return RecordStatus.newStatusWithoutArrivalTime(true);
    }

    private void poll() {
      long now = System.currentTimeMillis();
      boolean nothingToReport = config.limits.isEmpty() && !config.wall;
      if (now - sentAt < (nothingToReport ? NOTHING_MILLIS : EVERY_MILLIS)) {
        pause();
        return;
      }
      ticks = nothingToReport ? List.of() : at(now);
      if (!ticks.isEmpty() || now - sentAt >= NOTHING_MILLIS) {
        sentAt = now;
        next = 0;
      } else {
        pause();
      }
    }

    private static void pause() {
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }

    private List<Tick> at(long now) {
      List<Tick> out = new ArrayList<>();
      if (!config.limits.isEmpty() && arrivals(now)) {
        Map<String, Long> found = idle.at(now);
        boolean due = found.entrySet().stream()
            .anyMatch(e -> e.getValue() >= TickSchedule.nextTime(reported.get(e.getKey()), config.limits.get(e.getKey())));
        if (due || now - sentAt >= NOTHING_MILLIS) {
          reported.putAll(found);
          config.limits.keySet().forEach(topic -> out.add(tick(topic, found.getOrDefault(topic, -1L), now)));
        }
      }
      if (config.wall) {
        out.add(Tick.ofClock(now));
      }
      return out;
    }

    private Tick tick(String topic, long idleFor, long now) {
      int partitions = (int) config.from.keySet().stream().filter(p -> p.topic().equals(topic)).count();
      return new TopicTick(topic, partitions, config.closing && idleFor > 0 ? TickOffset.DRAINED : idleFor, now).of(program);
    }

    /**
     * Notes arrivals: a topic is not idle while records come, or while some have not been read.
     *
     * @return false if that is not known, because Kafka does not answer
     */
    private boolean arrivals(long now) {
      Optional<Map<TopicPartition, Long>> found = topicEnds.of(config.from.keySet());
      found.orElse(Map.of()).forEach((p, end) -> {
        Long before = ends.put(p, end);
        if (!end.equals(before) || readersAreLocal && !LivePositions.isAt(config.query, p, end)) {
          idle.arrived(p.topic(), now);
          reported.remove(p.topic());
        }
      });
      return found.isPresent();
    }

    @Override
    public boolean next() {
      return nextWithTimeout(Long.MAX_VALUE).hasRecord();
    }

    @Override
    public InternalRow get() {
      return row.of(payload);
    }

    @Override
    public PartitionOffset getOffset() {
      return new LiveOffset(new HashMap<>(), new HashMap<>(idle.arrivals()));
    }

    @Override
    public void close() {
      topicEnds.close();
    }
  }
}
