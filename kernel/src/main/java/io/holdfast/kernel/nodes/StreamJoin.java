package io.holdfast.kernel.nodes;

import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.Section;
import io.holdfast.kernel.stores.Series;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.Reasons;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * Two streams joined: each record meets those of the other side with its key that are near in time.
 *
 * <p>A record without a partner waits, if its side is to be seen alone, until its window has closed; the next record that moves
 * the time past it sends it on.
 */
public final class StreamJoin extends Node {
  private final Plan plan;
  private final Evaluator joiner;
  private final ScopeRow scope;
  private final RowCodec keys;
  private final StreamTime time;
  private final JoinSide[] sides;
  private final Unmatched unmatched;
  /** How many results the record at hand has given. */
  private int given;

  /** What is known before it runs. A record of the right side may be {@code before} earlier than the left one, {@code after} later. */
  public record Plan(
      boolean self, boolean leftAlone, boolean rightAlone, long before, long after, long grace, Bound joiner, String late,
      StoreSpec store, DataType leftValue, DataType rightValue) implements Serializable {
    /** What it keeps beside the records of both sides. */
    public static final String TIMES = "times";

    /** For how long a record is kept. At least a moment: records of equal time shall be able to meet. */
    long retention() {
      return Math.max(1, before + after + grace);
    }
  }

  public StreamJoin(Spec spec, Task task, Plan plan) {
    super(spec.id);
    this.plan = plan;
    this.joiner = plan.joiner.open();
    this.scope = new ScopeRow(3, plan.joiner.usesMeta(), task.program().topics());
    this.keys = task.codec(spec.key);
    KeyValueStore records = task.store(plan.store);
    KeyValueStore times = task.store(plan.store.part(Plan.TIMES));
    this.time = new StreamTime(new Section(times, 't'));
    this.sides = new JoinSide[] {
      new JoinSide(0, records, times, task.codec(plan.leftValue), plan.retention()),
      new JoinSide(1, records, times, task.codec(plan.rightValue), plan.retention())
    };
    this.unmatched = new Unmatched(times, plan.before, plan.after, plan.grace);
  }

  @Override
  protected void run(List<Rec> batch) {
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
    if (!plan.leftAlone) {
      return; // Nobody waits.
    }
    load();
    if (reached > time.now()) {
      time.observe(reached);
      given = 0;
      sendClosed(new Rec(task.tickOrder(), reached, null, null, null, null));
    }
    flush();
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
  protected void process(Rec r) {
    long now = time.observe(r.timestamp);
    given = 0;
    if (plan.self && r.port() == 1 && (r.value == null || r.key == null && !alone(1))) {
      return; // It was told of when it came by the other side.
    }
    if (r.value == null) {
      task.skip(this, r);
    } else if (r.key == null) {
      withoutKey(r);
    } else {
      if (r.timestamp == now) {
        sendClosed(r);
      }
      meet(r, now);
    }
  }

  private void withoutKey(Rec r) {
    if (alone(r.port())) {
      give(r, r, r.key, r.timestamp, r.port() == 0 ? r.value : null, r.port() == 0 ? null : r.value);
    } else {
      task.deadLetter(this, r, "the key is null; nothing can meet it");
    }
  }

  private void meet(Rec r, long now) {
    boolean left = r.port() == 0;
    JoinSide mine = sides[r.port()];
    JoinSide other = sides[1 - r.port()];
    byte[] key = task.keyBytes(r, keys);
    long from = Math.max(0, r.timestamp - (left ? plan.before : plan.after));
    long to = Math.max(0, r.timestamp + (left ? plan.after : plan.before));
    List<Series.Item> partners = other.between(key, from, to);
    for (Series.Item partner : partners) {
      other.met(key, partner);
      Object value = other.value(partner);
      long later = Math.max(r.timestamp, partner.time);
      give(r, r, r.key, later, left ? r.value : value, left ? value : r.value);
    }
    boolean waits = false;
    if (partners.isEmpty() && alone(r.port())) {
      waits = to >= now;
      if (!waits) {
        give(r, r, r.key, r.timestamp, left ? r.value : null, left ? null : r.value);
      }
    }
    if (waits) {
      unmatched.add(r.port(), r.timestamp, key);
    }
    boolean kept = mine.keep(key, r.timestamp, r.value, waits ? r.order : null);
    if (!kept && given == 0) {
      task.late(this, r, plan.late, from, to, now);
    }
  }

  private boolean alone(int side) {
    return side == 0 ? plan.leftAlone : plan.rightAlone;
  }

  /** Sends on, in the wake of a record, what found no partner and will not find one any more. */
  private void sendClosed(Rec r) {
    for (Unmatched.Waiting each : unmatched.closedBefore(time.now())) {
      JoinSide side = sides[each.side()];
      for (Series.Item item : side.waiting(each.key(), each.time())) {
        Object key = keys.decode(each.key());
        Object value = side.value(item);
        Rec origin = new Rec(item.note(), item.time, key, value, null, null);
        side.met(each.key(), item);
        give(r, origin, key, item.time, each.side() == 0 ? value : null, each.side() == 0 ? null : value);
      }
    }
  }

  /**
   * Sends a result.
   *
   * @param cause in whose wake it comes
   * @param origin whose metadata the joiner sees, and which is to blame if it fails
   */
  private void give(Rec cause, Rec origin, Object key, long timestamp, Object left, Object right) {
    Object value;
    try {
      value = joiner.value(scope.of(origin, left, right, key));
    } catch (Exception failure) {
      task.deadLetter(this, origin, Reasons.of(failure));
      return;
    }
    emit(new Rec(Order.emission(cause.order, given++), timestamp, key, value, null, cause.headers));
  }
}
