package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** An aggregate of a table's rows that can retract: first the old value is subtracted, then the new one added. */
public final class RetractingAggregate extends TableAggregate {
  private final Folder folder;

  public RetractingAggregate(NodeSpec node, Task task, Folder.Plan plan, GroupRow rows, StoreSpec store, boolean readByOthers) {
    super(node, task, rows, store, plan.state(), readByOthers);
    this.folder = formedBy(LimitedFolder.open(plan, node, task));
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    if (r.old != null && e.state != null) {
      e.state = without(e.state, r.withValue(rows.valueOf(r.old)));
    }
    if (r.value != null) {
      e.state = with(e.state, r);
    }
    return true;
  }

  /** The state without a row; one that cannot be added was never in it. */
  private Object without(Object state, StreamRecord old) {
    try {
      return folder.subtract(state, old);
    } catch (Exception failure) {
      if (canAdd(state, old)) {
        throw failure;
      }
      return state;
    }
  }

  private boolean canAdd(Object state, StreamRecord r) {
    try {
      folder.add(state, r);
      return true;
    } catch (Exception never) {
      return false;
    }
  }

  /** The state with a row; one that fails is a dead letter, and the row that it replaced is retracted all the same. */
  private Object with(Object state, StreamRecord r) {
    try {
      return folder.add(state, r.withValue(rows.valueOf(r.value)));
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
      return state;
    }
  }
}
