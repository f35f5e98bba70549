package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** A filtered or mapped table with a store of its own. */
public final class MaterializedView extends TableNode {
  private final TableView.Change change;

  public MaterializedView(NodeSpec node, Task task, BoundExpressions bound, boolean filter, boolean versioned, StoreSpec store, boolean readByOthers) {
    super(node, task, store, node.value, readByOthers);
    change = new TableView.Change(task, bound, filter, versioned);
  }

  @Override
  protected boolean keepsValues() {
    return true;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    Object before = e.state;
    e.state = change.of(r, r.key, r.value);
    return change.isChange(before, e.state);
  }

  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    return r.timestamp;
  }
}
