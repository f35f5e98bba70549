package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.TableReader;
import io.holdfast.kernel.task.Task;
import java.util.List;

/** A table without a store: it is computed from the tables under it. */
public abstract class View extends Node implements TableReader {
  private final boolean every;
  private final LastChanges last = new LastChanges();
  protected final RowCodec keys;

  /**
   * @param every whether the tables under it emit every update, so that this one does, too
   */
  protected View(NodeSpec spec, Task task, boolean every) {
    super(spec.id);
    this.every = every;
    this.keys = task.codec(spec.key);
  }

  /** Whether more updates come here than most consumers want. */
  protected boolean gathers() {
    return consumersWantEveryUpdate();
  }

  /** Emits a change to consumers that want every update, and the last of the batch to the others. */
  protected final void emitChange(StreamRecord change) {
    if (every || !gathers()) {
      emit(change);
      return;
    }
    if (consumersWantEveryUpdate()) {
      emit(change, true);
    }
    last.add(task.keyBytes(change, keys), change);
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    super.run(batch);
    last.take().forEach(change -> emit(change, false));
  }
}
