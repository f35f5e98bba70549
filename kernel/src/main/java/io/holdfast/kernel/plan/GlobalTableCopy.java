package io.holdfast.kernel.plan;

import io.holdfast.kernel.nodes.tables.LatestValueTable;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;

/** A copy of a global table in a further stage that uses it; queries read that of the first stage. */
final class GlobalTableCopy extends NodeSpec {
  private final StoreSpec store;

  GlobalTableCopy(NodeSpec table, int stage) {
    super(new Head(table.id, table.at, stage, java.util.List.of()));
    key = table.key;
    value = table.value;
    store = new StoreSpec(null, table.store().state(), table.store().every(), null);
  }

  @Override
  public StoreSpec store() {
    return store;
  }

  @Override
  public Node open(Task task) {
    return new LatestValueTable(this, task, store, value, true, true);
  }
}
