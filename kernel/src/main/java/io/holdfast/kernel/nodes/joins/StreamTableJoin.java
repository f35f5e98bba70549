package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import org.apache.spark.sql.types.DataType;

/** A stream-table join, or a join with a global table by a key of its own, as of each record's position in the order. */
public class StreamTableJoin extends Node {
  private final boolean left;
  private final String table;
  private final RowCodec keys;
  private final Evaluator on;
  private final Evaluator joiner;
  private final ScopeRow onScope;
  private final ScopeRow joinScope;

  /**
   * @param on the expression for the table's key, or null for the record's own key
   */
  public StreamTableJoin(NodeSpec spec, Task task, boolean left, DataType tableKey, BoundExpressions on, BoundExpressions joiner) {
    super(spec.id);
    this.left = left;
    this.table = spec.inputs.get(1);
    this.keys = task.codec(tableKey);
    this.on = on == null ? null : on.open();
    this.onScope = on == null ? null : new ScopeRow(2, on.usesMeta(), task.program().topics());
    this.joiner = joiner.open();
    this.joinScope = new ScopeRow(3, joiner.usesMeta(), task.program().topics());
  }

  @Override
  protected final void process(StreamRecord r) {
    if (r.value == null) {
      task.skip(this, r);
      return;
    }
    Object key = on == null ? r.key : on.value(onScope.of(r, r.key, r.value));
    if (key == null && !left) {
      task.deadLetter(this, r, on == null ? "the key is null; an inner join needs one" : "the join's key (on=) is null");
      return;
    }
    meet(r, key);
  }

  /** Joins a record whose table key was evaluated; it may be null. */
  protected void meet(StreamRecord r, Object key) {
    join(r, key, r.order, r.order);
  }

  /**
   * Joins a record with the table, a versioned one as of the record's time.
   *
   * @param asOf the position in the order as of which the table is read
   * @param out the position of the result
   */
  final void join(StreamRecord r, Object key, byte[] asOf, byte[] out) {
    ValueAndTimestamp found = key == null ? null : task.table(table).stampedAt(keyBytes(r, key), key, asOf, r.timestamp);
    if (found != null || left) {
      Object right = found == null ? null : found.value();
      emit(r.withValue(joiner.value(joinScope.of(r, r.value, right, r.key))).at(out));
    }
  }

  private byte[] keyBytes(StreamRecord r, Object key) {
    return on == null ? task.keyBytes(r, keys) : keys.encode(key);
  }
}
