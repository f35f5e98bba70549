package io.holdfast.kernel.plan;

import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.HeaderMap;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.records.Tick;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.serde.BadRecord;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.source.Ingest;
import io.holdfast.kernel.source.TimeBounds;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.task.ReplayedRecord;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.PythonCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/** Decodes records, assigns their times and positions in the order, and runs the nodes that need no state. */
public final class IngestRunner implements Ingest {
  private final Task task;
  private final Map<String, List<Reader>> readers = new HashMap<>();
  private final Map<TopicPartition, long[]> latest = new HashMap<>();
  private final Program program;
  private LongSupplier clock = System::currentTimeMillis;
  private boolean limitsAhead = true;
  private final ReplayRouter replayRouter;

  public IngestRunner(IngestProgram program) {
    this.program = program.program();
    this.task = new Task(program.program(), spec -> {
      throw new IllegalStateException("no state where records are read");
    });
    this.replayRouter = new ReplayRouter(this.program, task);
    program.sources().forEach((topic, sources) -> sources.forEach(
        s -> readers.computeIfAbsent(topic, t -> new ArrayList<>()).add(new Reader(s, program.program().topics().indexOf(topic)))));
  }

  @Override
  public void run(List<RawRecord> chunk, Consumer<byte[]> out) {
    for (RawRecord raw : chunk) {
      if (raw.topic().equals(program.replays())) {
        replay(raw);
        continue;
      }
      for (Reader reader : readers.getOrDefault(raw.topic(), List.of())) {
        reader.read(raw);
      }
    }
    task.runMore().forEach(out);
  }

  /** Routes a replayed record to the node where it had failed, and only there. */
  private void replay(RawRecord raw) {
    ReplayedRecord replayed;
    try {
      replayed = ReplayedRecord.of(raw);
    } catch (BadRecord foreign) {
      task.foreign(raw, foreign.getMessage());
      return;
    }
    long[] reached = latest.computeIfAbsent(new TopicPartition(raw.topic(), raw.partition()), p -> new long[] {Long.MIN_VALUE});
    for (Reader reader : readers.getOrDefault(replayed.record().topic(), List.of())) {
      if (reader.source.id().equals(replayed.node())) {
        reader.read(replayed.record(), new ReplayContext(replayed.refusedAt(), reached));
        return;
      }
    }
    if (TimeBounds.isPossible(raw.timestamp())) {
      reached[0] = Math.max(reached[0], raw.timestamp());
    }
    replayRouter.route(replayed, reached[0]);
  }

  @Override
  public void flush(Consumer<byte[]> out) {
    task.runQuietly().forEach(out);
  }

  @Override
  public void finish(Consumer<byte[]> out) {
    task.run().forEach(out);
    sendTicks(out);
  }

  /** Sends the times of the partitions that were read to every task. */
  private void sendTicks(Consumer<byte[]> out) {
    List<Tick> ticks = new ArrayList<>();
    latest.forEach((partition, time) -> {
      if (program.ticking().contains(partition.topic())) {
        ticks.add(Tick.reached(program.topics().indexOf(partition.topic()), partition.partition(), time[0]));
      }
    });
    for (int t = 0; !ticks.isEmpty() && t < program.tasks().count(); t++) {
      out.accept(Tick.encode(program.tasks().label(t), ticks));
    }
  }

  /** Sets how large the blocks of output may become; until then each record is a payload of its own. */
  void pack(int bytes) {
    task.pack(bytes);
  }

  /** Sets the wall clock: the time of records with processing time, and by which others are too far ahead. */
  public void clock(LongSupplier now) {
    clock = now;
  }

  /** Sets the limits of topics. */
  public void limits(TopicLimits known) {
    task.limits(known);
  }

  /** Sets whether records that are too far ahead of the wall clock are refused. */
  public void limitAhead(boolean yes) {
    limitsAhead = yes;
  }

  /** Sets where Python functions run. */
  public void python(PythonCalls calls) {
    task.python(calls);
  }

  /** Sets where printed lines go. */
  public void console(Consumer<String> lines) {
    task.console(lines);
  }

  @Override
  public void close() {
    latest.clear();
    readers.values().forEach(all -> all.forEach(reader -> reader.maximum = null));
  }

  /**
   * What is known of a replayed record.
   *
   * @param refusedAt the wall-clock time when it was refused
   * @param reached the latest time among the replayed records before it
   */
  private record ReplayContext(long refusedAt, long[] reached) {}

  /** One source on one topic. */
  private final class Reader {
    private final SourceSpec source;
    private final Serde key;
    private final Serde value;
    private final int topic;
    private final Evaluator keyed;
    private final Evaluator time;
    private final TimestampExtractor eventTime;
    private final GenericInternalRow scope;
    private final boolean wantsMeta;
    /** Whether it reads the app's own dead letters, which have the times of the refused records. */
    private final boolean isLetter;
    /** The partition of the last record, and the latest time in it. */
    private int partition;
    private long[] maximum;

    Reader(SourceSpec source, int topic) {
      this.source = source;
      this.topic = topic;
      this.key = source.key();
      this.value = source.value();
      this.keyed = source.keyed() == null ? null : source.keyed().open();
      this.time = source.time() == null ? null : source.time().open();
      this.eventTime = source.time() == null ? null : new TimestampExtractor(source.timeType(), source.zone());
      this.scope = new GenericInternalRow(7);
      this.isLetter = program.topics().get(topic).equals(program.deadLetters());
      this.wantsMeta = time != null && time.usesMeta() || keyed != null && keyed.usesMeta();
    }

    void read(RawRecord raw) {
      read(raw, null);
    }

    /**
     * @param replay null if the record is not replayed
     */
    void read(RawRecord raw, ReplayContext replay) {
      Object k;
      Object v;
      long ts;
      try {
        k = decode(key, raw.key(), "key");
        v = decode(value, raw.value(), "value");
        k = keyed == null ? k : keyed.value(scope(raw, k, v));
        if (source.table() && k == null) {
          throw BadRecord.malformed("the key is null; a table has no place for it");
        }
        ts = replay != null && source.wall() ? replay.refusedAt : timestamp(raw, k, v);
      } catch (Exception bad) {
        // The end of a batch is chosen by the times in Kafka, those of refused records among them.
        if (time == null && !source.wall() && replay == null && moves(raw.timestamp())) {
          runningMaximum(raw, raw.timestamp());
        }
        task.deadLetter(source.id(), source.at(), source.failOnError(), raw, FailureReasons.of(bad));
        return;
      }
      byte[] order = Order.ofSource(
          replay == null ? runningMaximum(raw, ts) : later(replay.reached, ts), source.table(), topic, raw.partition(), raw.offset());
      order = replay == null ? order : Order.replayed(order, Order.path(order));
      task.accept(source.id(), new StreamRecord(order, ts, KeyTypes.widen(k, key.type()), v, null, raw.headers()));
    }

    private long maxAhead() {
      return limitsAhead ? source.maxAhead() : TimeBounds.ANY;
    }

    /** Whether a record's time may advance the time of its partition. */
    private boolean moves(long ms) {
      return TimeBounds.isPossible(ms) && !TimeBounds.isAhead(ms, clock.getAsLong(), maxAhead());
    }

    private long runningMaximum(RawRecord raw, long ts) {
      if (maximum == null || raw.partition() != partition) {
        partition = raw.partition();
        maximum = latest.computeIfAbsent(new TopicPartition(raw.topic(), partition), p -> new long[] {Long.MIN_VALUE});
      }
      return later(maximum, ts);
    }

    private static long later(long[] reached, long ts) {
      reached[0] = Math.max(reached[0], ts);
      return reached[0];
    }

    private Object decode(Serde serde, byte[] bytes, String what) throws BadRecord {
      try {
        return serde.decode(bytes);
      } catch (BadRecord bad) {
        throw BadRecord.malformed(what + ": " + bad.getMessage());
      }
    }

    private long timestamp(RawRecord raw, Object k, Object v) throws BadRecord {
      if (source.wall()) {
        return clock.getAsLong();
      }
      // A dead letter of a dead letter would be refused for the same time, and so on for ever.
      if (isLetter && !moves(raw.timestamp())) {
        return clock.getAsLong();
      }
      // A tombstone has no fields for the expression.
      long ms = time == null || v == null ? ofKafka(raw) : eventTime.of(time.value(scope(raw, k, v)));
      return maxAhead() == TimeBounds.ANY ? ms : TimeBounds.notAhead(ms, clock.getAsLong(), maxAhead());
    }

    private static long ofKafka(RawRecord raw) throws BadRecord {
      if (raw.timestamp() < 0) {
        throw BadRecord.malformed("the record has no time");
      }
      return TimeBounds.checked(raw.timestamp());
    }

    private static long microseconds(RawRecord raw) {
      return 1000 * (raw.timestamp() < 0 ? -1 : TimeBounds.checked(raw.timestamp()));
    }

    private GenericInternalRow scope(RawRecord raw, Object k, Object v) {
      scope.update(0, k);
      scope.update(1, v);
      scope.update(2, wantsMeta ? microseconds(raw) : 0L);
      scope.update(3, UTF8String.fromString(raw.topic()));
      scope.update(4, raw.partition());
      scope.update(5, raw.offset());
      scope.update(6, wantsMeta ? HeaderMap.of(raw.headers()) : null);
      return scope;
    }
  }
}
