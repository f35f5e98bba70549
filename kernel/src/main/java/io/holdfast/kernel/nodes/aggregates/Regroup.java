package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.Arrays;

/**
 * The changes of a table under another key: a retraction of the old value for the group that it was in, and the new value for its group.
 *
 * <p>As in Kafka Streams the retraction comes first, and if both are in one group they are one change.
 */
public final class Regroup extends Node {
  private final Evaluator group;
  private final ScopeRow scope;
  private final RowCodec keys;
  private final GroupRow rows;

  public Regroup(NodeSpec spec, Task task, BoundExpressions group, GroupRow rows) {
    super(spec.id);
    this.group = group.open();
    this.scope = new ScopeRow(2, false, task.program().topics());
    this.keys = task.codec(spec.key);
    this.rows = rows;
  }

  @Override
  protected void process(StreamRecord r) {
    if (r.isForCopiesOnly()) {
      return;
    }
    if (r.isOutdated()) {
      task.skip(this, r); // The groups are those of the latest versions.
      return;
    }
    Object from = r.old == null ? null : groupBefore(r);
    Object to = r.value == null ? null : groupAfter(r);
    Object old = from == null ? null : rows.pair(r.key, r.old);
    Object now = to == null ? null : rows.pair(r.key, r.value);
    if (from != null && to != null && same(from, to)) {
      send(r, r.order, to, old, now);
      return;
    }
    boolean both = from != null && to != null;
    if (from != null) {
      send(r, both ? Order.emission(r.order, 0) : r.order, from, old, null);
    }
    if (to != null) {
      send(r, both ? Order.emission(r.order, 1) : r.order, to, null, now);
    }
  }

  /** The group of the old value; null if it was refused when it came. */
  private Object groupBefore(StreamRecord r) {
    try {
      return group.value(scope.of(r, r.key, r.old));
    } catch (Exception neverGrouped) {
      return null;
    }
  }

  /** The group of the new value; without one it is a dead letter, and the old value is retracted all the same. */
  private Object groupAfter(StreamRecord r) {
    try {
      Object found = group.value(scope.of(r, r.key, r.value));
      if (found == null) {
        task.deadLetter(this, r, "the group's key is null; an aggregate has no place for it");
      }
      return found;
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
      return null;
    }
  }

  private boolean same(Object a, Object b) {
    return Arrays.equals(keys.encode(a), keys.encode(b));
  }

  private void send(StreamRecord r, byte[] order, Object key, Object old, Object now) {
    emit(new StreamRecord(order, r.timestamp, key, now, old, r.headers));
  }
}
