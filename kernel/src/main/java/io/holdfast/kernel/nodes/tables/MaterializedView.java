package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;

/** A filtered or mapped table with a store of its own. */
public final class MaterializedView extends TableNode {
  private final TableView.Change change;

  public MaterializedView(Spec node, Task task, Bound bound, boolean filter, boolean versioned, StoreSpec store, boolean readByOthers) {
    super(node, task, store, node.value, readByOthers);
    change = new TableView.Change(task, bound, filter, versioned);
  }

  @Override
  protected boolean keepsValues() {
    return true;
  }

  @Override
  protected boolean apply(Entry e, Rec r) {
    Object before = e.state;
    e.state = change.of(r, r.key, r.value);
    return change.isChange(before, e.state);
  }

  @Override
  protected long timestampOf(Entry e, Rec r) {
    return r.timestamp;
  }
}
