package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * A stream-stream join: each record is joined with those of the other side with its key that are in its window.
 *
 * <p>A record without a partner waits, if its side is emitted unmatched, until its window has closed; the next record that advances stream
 * time past that emits it.
 */
public final class StreamJoin extends Node {
  private final Plan plan;
  private final Evaluator joiner;
  private final ScopeRow scope;
  private final RowCodec keys;
  private final StreamTime time;
  private final JoinSide[] sides;
  private final UnmatchedRecords unmatched;
  /** How many results the current record has caused. */
  private int emitted;
  /** The position of the last late record. */
  private byte[] lastLate = {};

  /** The plan of a join. A record of the right side may be {@code before} earlier than the left one, {@code after} later. */
  public record Plan(
      boolean self, boolean emitsUnmatchedLeft, boolean emitsUnmatchedRight, long before, long after, long grace, BoundExpressions joiner, String late,
      StoreSpec store, DataType leftValue, DataType rightValue) implements Serializable {
    /** The part of the store with stream times and the indexes by time. */
    public static final String TIMES = "times";

    /** For how long a record is stored. At least a millisecond: records of equal time must find each other. */
    long retention() {
      return Math.max(1, before + after + grace);
    }
  }

  public StreamJoin(NodeSpec spec, Task task, Plan plan) {
    super(spec.id);
    this.plan = plan;
    this.joiner = plan.joiner.open();
    this.scope = new ScopeRow(3, plan.joiner.usesMeta(), task.program().topics());
    this.keys = task.codec(spec.key);
    KeyValueStore records = task.store(plan.store);
    KeyValueStore times = task.store(plan.store.part(Plan.TIMES));
    this.time = new StreamTime(new PrefixedStore(times, 't'));
    this.sides = new JoinSide[] {
      new JoinSide(0, records, times, task.codec(plan.leftValue), plan.retention()),
      new JoinSide(1, records, times, task.codec(plan.rightValue), plan.retention())
    };
    this.unmatched = new UnmatchedRecords(times, plan.before, plan.after, plan.grace);
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    if (batch.isEmpty()) {
      return;
    }
    load();
    List<byte[]> wanted = keys.keysOf(batch);
    sides[0].fetch(wanted);
    sides[1].fetch(wanted);
    super.run(batch);
    flush();
  }

  @Override
  protected void tick(long reached) {
    if (!plan.emitsUnmatchedLeft) {
      return; // No record waits.
    }
    load();
    if (reached > time.now()) {
      time.observe(reached);
      emitted = 0;
      emitClosed(new StreamRecord(task.tickOrder(), reached, null, null, null, null));
    }
    flush();
  }

  @Override
  protected long lastDue(long limit) {
    if (!plan.emitsUnmatchedLeft) {
      return Long.MIN_VALUE;
    }
    load();
    return unmatched.lastClosing(limit, each -> !sides[each.side()].waiting(each.key(), each.time()).isEmpty());
  }

  private void load() {
    time.load();
    sides[0].load();
    sides[1].load();
    unmatched.load();
  }

  private void flush() {
    sides[0].flush();
    sides[1].flush();
    unmatched.flush();
    time.save();
  }

  @Override
  protected void process(StreamRecord r) {
    long now = time.observe(r.timestamp);
    emitted = 0;
    if (plan.self && r.port() == 1 && (r.value == null || r.key == null && !emitsUnmatched(1))) {
      return; // It was counted when it came by the other side.
    }
    if (r.value == null) {
      task.skip(this, r);
    } else if (r.key == null) {
      withoutKey(r);
    } else {
      if (r.timestamp == now) {
        emitClosed(r);
      }
      meet(r, now);
    }
  }

  private void withoutKey(StreamRecord r) {
    if (emitsUnmatched(r.port())) {
      emitUnmatched(r, r);
    } else {
      task.deadLetter(this, r, "the key is null; no record can match it");
    }
  }

  private void meet(StreamRecord r, long now) {
    boolean left = r.port() == 0;
    JoinSide mine = sides[r.port()];
    JoinSide other = sides[1 - r.port()];
    byte[] key = task.keyBytes(r, keys);
    long from = Math.max(0, r.timestamp - (left ? plan.before : plan.after));
    long to = Math.max(0, r.timestamp + (left ? plan.after : plan.before));
    List<TimeSeries.Item> found = other.between(key, from, to);
    // Kafka Streams joins these, too. With a topic for late records, results must not contradict each other.
    List<TimeSeries.Item> partners = plan.late == null ? found : found.stream().filter(item -> !JoinNote.wasEmitted(item)).toList();
    for (TimeSeries.Item partner : partners) {
      other.met(key, partner);
      emitPair(r, partner, other);
    }
    boolean missed = partners.size() < found.size();
    Fate fate = partners.isEmpty() && !missed ? unmatchedFate(r, key, to, now) : Fate.NONE;
    boolean buffered = mine.buffer(key, r, note(fate, r), fate == Fate.WAITS);
    boolean dropped = !buffered || plan.late != null && to < other.oldest();
    if (missed || fate == Fate.LATE || fate == Fate.NONE && partners.isEmpty() && dropped) {
      late(r, from, to, now);
    }
  }

  /** What happens to a record without a partner on a side that is emitted unmatched. */
  private enum Fate { NONE, WAITS, EMITTED, LATE }

  private Fate unmatchedFate(StreamRecord r, byte[] key, long to, long now) {
    boolean meetsItself = plan.self && plan.late != null;
    if (!emitsUnmatched(r.port()) || meetsItself) {
      return Fate.NONE;
    }
    // Kafka Streams does not wait for the grace of a record that is out of order; then it may be joined after all.
    if (to + (plan.late == null ? 0 : plan.grace) >= now) {
      unmatched.add(r.port(), r.timestamp, key);
      return Fate.WAITS;
    }
    if (plan.late != null) {
      return Fate.LATE;
    }
    emitUnmatched(r, r);
    return Fate.EMITTED;
  }

  private static byte[] note(Fate fate, StreamRecord r) {
    return switch (fate) {
      case WAITS -> JoinNote.waiting(r);
      case EMITTED -> JoinNote.EMITTED;
      default -> null;
    };
  }

  private void late(StreamRecord r, long from, long to, long now) {
    boolean again = plan.self && r.port() == 1 && sameBefore(r.order, lastLate);
    if (!again) {
      task.late(this, r, plan.late, from, to, now);
    }
    lastLate = r.order;
  }

  /** Whether both are the same record, as inputs of the two sides. */
  private static boolean sameBefore(byte[] order, byte[] other) {
    int n = order.length - 1;
    return other.length == order.length && Arrays.equals(order, 0, n, other, 0, n);
  }

  private boolean emitsUnmatched(int side) {
    return side == 0 ? plan.emitsUnmatchedLeft : plan.emitsUnmatchedRight;
  }

  /** Emits the unmatched records whose windows have closed, caused by a record. */
  private void emitClosed(StreamRecord r) {
    for (UnmatchedRecords.Waiting each : unmatched.closedBefore(time.now())) {
      JoinSide side = sides[each.side()];
      for (TimeSeries.Item item : side.waiting(each.key(), each.time())) {
        StreamRecord origin = JoinNote.record(item, keys.decode(each.key()), side.value(item)).from(each.side());
        side.emitted(each.key(), item);
        emitUnmatched(r, origin);
      }
    }
  }

  private void emitPair(StreamRecord r, TimeSeries.Item partner, JoinSide other) {
    Object value = other.value(partner);
    boolean left = r.port() == 0;
    RawHeader[] headers = ReplayMark.on(r.headers, JoinSide.replayed(partner));
    emitJoined(r, r, Math.max(r.timestamp, partner.time), left ? r.value : value, left ? value : r.value, headers);
  }

  /** Emits an unmatched record, with its own time and headers, whatever closed its window. */
  private void emitUnmatched(StreamRecord cause, StreamRecord r) {
    boolean left = r.port() == 0;
    emitJoined(cause, r, r.timestamp, left ? r.value : null, left ? null : r.value, r.headers);
  }

  /**
   * Emits a result.
   *
   * @param cause the record that caused it
   * @param origin the record whose metadata the joiner sees, and which becomes a dead letter if it fails
   */
  private void emitJoined(StreamRecord cause, StreamRecord origin, long timestamp, Object left, Object right, RawHeader[] headers) {
    Object value;
    try {
      value = joiner.value(scope.of(origin, left, right, origin.key));
    } catch (Exception failure) {
      task.deadLetter(this, origin, FailureReasons.of(failure));
      return;
    }
    emit(new StreamRecord(Order.emission(cause.order, emitted++), timestamp, origin.key, value, null, headers));
  }
}
