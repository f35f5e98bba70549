package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.tables.TableNode;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** A table that folds the records of each key. Records without a value are skipped, as Kafka Streams does. */
public final class AggregateTable extends TableNode {
  private final Folder folder;

  public AggregateTable(NodeSpec node, Task task, Folder.Plan plan, StoreSpec store, boolean readByOthers) {
    super(node, task, store, plan.state(), readByOthers);
    folder = formedBy(LimitedFolder.open(plan, node, task));
  }

  @Override
  protected boolean skips(StreamRecord r) {
    return r.value == null;
  }

  @Override
  protected boolean hasOnlyEntries() {
    return true;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    if (!r.isPartial()) {
      e.state = folder.add(e.state, r);
    } else {
      Object other = folder.unpack(r.value);
      e.state = e.state == null ? other : folder.merge(e.state, other, r);
    }
    return true;
  }
}
