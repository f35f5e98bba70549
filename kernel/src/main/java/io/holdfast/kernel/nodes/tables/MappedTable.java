package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** A filtered or mapped table with a store of its own, whose values a folder makes of one record each. */
public final class MappedTable extends TableNode {
  private final Folder folder;
  private final boolean filter;

  public MappedTable(NodeSpec node, Task task, Folder.Plan plan, boolean filter, StoreSpec store, boolean readByOthers) {
    super(node, task, store, plan.state(), readByOthers);
    this.folder = formedBy(LimitedFolder.open(plan, node, task));
    this.filter = filter;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    Object before = e.state;
    e.state = r.value == null ? null : folder.add(null, r);
    return !filter || before != null || e.state != null;
  }

  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    return r.timestamp;
  }
}
