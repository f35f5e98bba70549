package io.holdfast.kernel.nodes;

import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/** The row that expressions of a node are evaluated on: the slots, then the record's metadata if an expression uses it. */
public final class ScopeRow {
  private final GenericInternalRow row;
  private final int slots;
  private final UTF8String[] topics;
  private final boolean meta;

  public ScopeRow(int slots, boolean meta, List<String> topics) {
    this.slots = slots;
    this.meta = meta;
    this.row = new GenericInternalRow(slots + Scope.META_NAMES.size());
    this.topics = topics.stream().map(UTF8String::fromString).toArray(UTF8String[]::new);
  }

  public InternalRow of(StreamRecord r, Object a, Object b) {
    row.update(0, a);
    row.update(1, b);
    return withMeta(r);
  }

  public InternalRow of(StreamRecord r, Object a, Object b, Object c) {
    row.update(0, a);
    row.update(1, b);
    row.update(2, c);
    return withMeta(r);
  }

  /** Sets a slot beyond those that a record fills. */
  public void slot(int i, Object value) {
    row.update(i, value);
  }

  private InternalRow withMeta(StreamRecord r) {
    if (meta) {
      row.update(slots, r.timestamp * 1000);
      boolean timed = !Order.hasSource(r.order);
      row.update(slots + 1, timed ? null : topics[Order.topic(r.order)]);
      row.update(slots + 2, timed ? null : Order.partition(r.order));
      row.update(slots + 3, timed ? null : Order.offset(r.order));
      row.update(slots + 4, HeaderMap.of(r.headers));
    }
    return row;
  }
}
