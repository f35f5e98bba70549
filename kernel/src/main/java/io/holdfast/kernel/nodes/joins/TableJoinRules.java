package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.io.Serializable;

/** The result of a table-table join by key after a change of one side: the rules of Kafka Streams. */
public final class TableJoinRules {
  private final Task task;
  private final String[] tables;
  private final boolean[] emitsUnmatched;
  private final Evaluator joiner;
  private final ScopeRow scope;

  /**
   * How two tables are joined.
   *
   * @param emitsUnmatchedLeft whether the join has the entries of the left table that have no match
   * @param emitsUnmatchedRight the same for the right table
   */
  public record How(boolean emitsUnmatchedLeft, boolean emitsUnmatchedRight, BoundExpressions joiner) implements Serializable {}

  TableJoinRules(NodeSpec spec, Task task, How how) {
    this.task = task;
    this.tables = new String[] {spec.inputs.get(0), spec.inputs.get(1)};
    this.emitsUnmatched = new boolean[] {how.emitsUnmatchedLeft, how.emitsUnmatchedRight};
    this.joiner = how.joiner.open();
    this.scope = new ScopeRow(3, how.joiner.usesMeta(), task.program().topics());
  }

  /** The join after a change of one side, with its time; null if the change does not affect it. */
  Change after(StreamRecord r, byte[] key) {
    int side = r.port();
    ValueAndTimestamp other = task.table(tables[1 - side]).stampedAsOf(key, r.key, r.order);
    boolean concerns = other != null || emitsUnmatched[side] && (r.value != null || r.old != null);
    if (!concerns) {
      return null;
    }
    Object value = side == 0 ? joined(r, r.key, r.value, valueOf(other)) : joined(r, r.key, valueOf(other), r.value);
    return new Change(value, other == null ? r.timestamp : Math.max(r.timestamp, other.timestamp()));
  }

  /** The value of the join before the source record that caused a change of one side; null if the joiner fails. */
  Object before(StreamRecord r, byte[] key) {
    try {
      Object other = task.table(tables[1 - r.port()]).asOf(key, r.key, Order.beforeSource(r.order));
      return r.port() == 0 ? joined(null, r.key, r.old, other) : joined(null, r.key, other, r.old);
    } catch (Exception neverShown) {
      return null;
    }
  }

  /** The new value of the join; null deletes. */
  record Change(Object value, long timestamp) {}

  /** The join as of a position in the order, or null. */
  ValueAndTimestamp asOf(byte[] keyBytes, Object key, byte[] order) {
    ValueAndTimestamp left = task.table(tables[0]).stampedAsOf(keyBytes, key, order);
    ValueAndTimestamp right = task.table(tables[1]).stampedAsOf(keyBytes, key, order);
    Object value = joined(null, key, valueOf(left), valueOf(right));
    return value == null ? null : new ValueAndTimestamp(value, Math.max(timeOf(left), timeOf(right)));
  }

  private Object joined(StreamRecord r, Object key, Object left, Object right) {
    boolean there = left != null && right != null || left != null && emitsUnmatched[0] || right != null && emitsUnmatched[1];
    return there ? joiner.value(scope.of(r, left, right, key)) : null;
  }

  private static Object valueOf(ValueAndTimestamp entry) {
    return entry == null ? null : entry.value();
  }

  private static long timeOf(ValueAndTimestamp entry) {
    return entry == null ? Long.MIN_VALUE : entry.timestamp();
  }
}
