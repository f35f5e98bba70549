package io.holdfast.kernel.source;

import io.holdfast.kernel.task.Tick;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/**
 * News of time in a batch that ends by the clock: silent topics, what the clock says, and, now and then, nothing, so that tasks
 * tell what they have counted.
 *
 * @param of the partitions of the topics whose silence is told
 * @param idle after how many milliseconds each topic counts as silent; 0: never
 */
record LiveTicks(
    String query, ArrayList<TopicPartition> of, HashMap<String, Long> idle, boolean wall, Map<String, Object> settings, long until)
    implements InputPartition {
  private static final long EVERY_MILLIS = 100;
  private static final long NOTHING_MILLIS = 1_000;
  private static final long LOOK_MILLIS = 20;

  SupportsRealTimeRead<InternalRow> reader(IngestFactory program) {
    return new Reader(this, program);
  }

  boolean isOver() {
    return System.currentTimeMillis() >= until || Brake.isOn(query);
  }

  private static final class Reader implements SupportsRealTimeRead<InternalRow> {
    private final LiveTicks what;
    private final IngestFactory program;
    private final PayloadRow row = new PayloadRow(64);
    private final Silence silence;
    private final Map<String, Long> told = new HashMap<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    private KafkaConsumer<byte[], byte[]> consumer;
    /** Whether the readers are in this process: only then it is known how far they are. */
    private final boolean here = SparkEnv.get().executorId().equals("driver");
    private List<Tick> news = List.of();
    private int next;
    private long heard = System.currentTimeMillis();
    private byte[] payload;

    Reader(LiveTicks what, IngestFactory program) {
      this.what = what;
      this.program = program;
      this.next = program.labels().size();
      this.silence = new Silence(what.idle, System.currentTimeMillis());
    }

    @Override
    public RecordStatus nextWithTimeout(Long timeout) {
      while (next >= program.labels().size()) {
        TaskContext.get().killTaskIfInterrupted();
        if (what.isOver()) {
          return RecordStatus.newStatusWithoutArrivalTime(false);
        }
        look();
      }
      payload = Tick.encode(program.labels().get(next++), news);
      return RecordStatus.newStatusWithoutArrivalTime(true);
    }

    private void look() {
      long now = System.currentTimeMillis();
      boolean quiet = what.idle.isEmpty() && !what.wall;
      if (now - heard < (quiet ? NOTHING_MILLIS : EVERY_MILLIS)) {
        pause();
        return;
      }
      news = quiet ? List.of() : at(now);
      if (!news.isEmpty() || now - heard >= NOTHING_MILLIS) {
        heard = now;
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
      if (!what.idle.isEmpty()) {
        arrivals(now);
        Map<String, Long> due = new HashMap<>(silence.at(now));
        due.entrySet().removeIf(e -> e.getValue() < nextTime(e.getKey()));
        told.putAll(due);
        if (!due.isEmpty() || now - heard >= NOTHING_MILLIS) {
          what.idle.forEach((topic, limit) -> out.add(tick(topic, limit, due.get(topic), now)));
        }
      }
      if (what.wall) {
        out.add(Tick.ofClock(now));
      }
      return out;
    }

    private Tick tick(String topic, long limit, Long silent, long now) {
      int partitions = (int) what.of.stream().filter(p -> p.topic().equals(topic)).count();
      return Tick.ofTopic(program.topics().indexOf(topic), partitions, silent == null ? -1 : silent,
          silent == null ? Long.MIN_VALUE : now - limit);
    }

    /** A topic is not silent while something comes, or while something that came has not been read. */
    private void arrivals(long now) {
      if (consumer == null) {
        consumer = new KafkaConsumer<>(PartitionConsumer.authenticated(what.settings));
      }
      consumer.endOffsets(what.of).forEach((place, end) -> {
        Long before = ends.put(place, end);
        if (before != null && !before.equals(end) || here && !LivePositions.isAt(what.query, place, end)) {
          silence.arrived(place.topic(), now);
          told.remove(place.topic());
        }
      });
    }

    /** A silence is told again and again, but ever more rarely. */
    private long nextTime(String topic) {
      Long last = told.get(topic);
      return last == null ? 0 : last + Math.max(what.idle.get(topic), last / 4);
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
      return new LiveOffset(new HashMap<>());
    }

    @Override
    public void close() {
      if (consumer != null) {
        consumer.close(java.time.Duration.ZERO);
      }
    }
  }
}
