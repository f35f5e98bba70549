package io.holdfast.kernel.nodes;

import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;

/** An aggregate of a table's rows that can take a row back: first the old value is subtracted, then the new one added. */
public final class Retracted extends TableNode {
  private final Folder folder;
  private final GroupRow rows;

  public Retracted(Spec node, Task task, Folder.Plan plan, GroupRow rows, StoreSpec store, boolean readByOthers) {
    super(node, task, store, plan.state(), readByOthers);
    this.folder = plan.open(node, task);
    this.rows = rows;
  }

  @Override
  protected boolean apply(Entry e, Rec r) {
    Object state = e.state;
    if (r.old != null && state != null) {
      state = folder.subtract(state, r.withValue(rows.valueOf(r.old)));
    }
    if (r.value != null) {
      state = folder.add(state, r.withValue(rows.valueOf(r.value)));
    }
    e.state = state;
    return true;
  }

  @Override
  protected Object valueOf(Object state) {
    return folder.valueOf(state);
  }

  @Override
  protected Object shown(Entry e, Rec r) {
    return shownOrNothing(e, r);
  }

  @Override
  protected Object packed(Object state) {
    return folder.pack(state);
  }

  @Override
  protected Object unpacked(Object stored) {
    return folder.unpack(stored);
  }
}
