package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.Arrays;
import org.apache.spark.sql.types.DataType;

/** Subscribes the entries of a table to their foreign keys, and unsubscribes them from their former ones. */
public final class ForeignKeySubscriber extends Node {
  private final boolean left;
  private final Evaluator on;
  private final ScopeRow scope;
  private final DataType type;
  private final RowCodec foreignKeys;

  public ForeignKeySubscriber(NodeSpec spec, Task task, BoundExpressions on, boolean left) {
    super(spec.id);
    this.left = left;
    this.on = on.open();
    this.type = on.type(0);
    this.scope = new ScopeRow(2, false, task.program().topics());
    this.foreignKeys = task.codec(spec.key);
  }

  /** The type of the values that it emits. */
  public static DataType type(DataType key, DataType value) {
    return Subscription.type(key, value);
  }

  @Override
  protected void process(StreamRecord r) {
    if (r.isOutdated()) {
      task.skip(this, r); // The join is that of the latest versions.
      return;
    }
    Object now = r.value;
    Object to = null;
    try {
      to = foreignKey(r.key, now);
    } catch (Exception failure) {
      // An entry without a foreign key leaves the join.
      task.deadLetter(this, r, FailureReasons.of(failure));
      now = null;
    }
    if (r.old == null && now == null) {
      return;
    }
    if (left) {
      move(r, now, before(r), to);
    } else {
      innerJoin(r, now, before(r), to);
    }
  }

  /** The former foreign key; null if there was none, or on= failed. */
  private Object before(StreamRecord r) {
    try {
      return foreignKey(r.key, r.old);
    } catch (Exception neverSaid) {
      return null;
    }
  }

  private Object foreignKey(Object key, Object value) {
    return value == null ? null : KeyTypes.widen(on.value(scope.of(null, key, value)), type);
  }

  private void innerJoin(StreamRecord r, Object now, Object from, Object to) {
    if (now != null && to == null) {
      task.skip(this, r);
    }
    if (to == null && from != null) {
      send(r, 0, from, now, Subscription.UNSUBSCRIBE_AND_EMIT);
    } else if (to != null && (from == null || same(from, to))) {
      // Without a match nothing was emitted before, or the delete was emitted when the right row was deleted.
      send(r, 0, to, now, Subscription.EMIT_IF_MATCHED);
    } else if (to != null) {
      move(r, now, from, to);
    }
  }

  /** For a new foreign key, or a row of a left join: emits in any case. */
  private void move(StreamRecord r, Object now, Object from, Object to) {
    int n = 0;
    if (from != null && !same(from, to)) {
      send(r, n++, from, now, Subscription.UNSUBSCRIBE);
    }
    send(r, n, to, now, Subscription.EMIT_ALWAYS);
  }

  private boolean same(Object from, Object to) {
    return to != null && Arrays.equals(foreignKeys.encode(from), foreignKeys.encode(to));
  }

  private void send(StreamRecord r, int n, Object foreignKey, Object now, byte action) {
    Subscription subscription = new Subscription(r.key, now, action);
    emit(r.at(Order.emission(r.order, n)).withKeyAndValue(foreignKey, subscription.row()).numbered(task.nextNumber()));
  }
}
