package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.task.Combiner;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.function.Consumer;
import org.apache.spark.sql.types.DataType;

/** Combines the records of a key into a partial state of the folder behind the exchange. */
final class PartialStates implements Combiner {
  private final Folder folder;

  private PartialStates(Folder folder) {
    this.folder = folder;
  }

  /** For folders whose merged states are those that the records themselves would have made, in any order. */
  record Plan(Folder.Plan folder) implements Combiner.Plan {
    @Override
    public DataType partial() {
      return folder.state();
    }

    @Override
    public Combiner open(Task task) {
      return new PartialStates(folder.open(null, task));
    }
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    return folder.add(state, r);
  }

  @Override
  public void finish(Object state, StreamRecord last, Consumer<StreamRecord> out) {
    out.accept(last.partial(folder.pack(state)));
  }
}
