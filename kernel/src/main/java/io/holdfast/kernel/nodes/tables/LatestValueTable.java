package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.types.DataType;

/** The last value per key: a table's topic, a stream as a table, a table's copy in a later stage. Null deletes. */
public final class LatestValueTable extends TableNode {
  private final boolean global;
  private final ChangeNumbers overtaken = new ChangeNumbers();

  public LatestValueTable(NodeSpec node, Task task, StoreSpec store, DataType value, boolean readByOthers, boolean global) {
    super(node, task, store, value, readByOthers);
    this.global = global;
  }

  @Override
  protected boolean keepsValues() {
    return true;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    if (Order.isReplayed(r.order) && e.state != null && e.timestamp > r.timestamp) {
      // Had it not been refused, the present row would have replaced it.
      task.skip(this, r);
      return false;
    }
    if (overtaken.test(r, e.key, task)) {
      return false;
    }
    e.state = r.value;
    return true;
  }

  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    return r.timestamp;
  }

  /** Every task has a copy of a global table; one of them emits its changes. */
  @Override
  protected boolean emitsChanges() {
    return !global || task.isFirst();
  }
}
