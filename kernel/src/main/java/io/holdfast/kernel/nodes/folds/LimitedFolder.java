package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** A folder with a limit for its states, that of the changelog of their store: a record that would make a state too large fails. */
public final class LimitedFolder implements Folder {
  private final Folder folder;
  private final StateLimit limit;

  LimitedFolder(Folder folder, StateLimit limit) {
    this.folder = folder;
    this.limit = limit;
  }

  /** The folder of a table's store within its limit, if it has one. */
  public static Folder open(Folder.Plan plan, NodeSpec node, Task task) {
    return open(plan, node, task, StateLimit.of(node, task));
  }

  /** The folder of a node's store within its limit, which may be null. */
  public static Folder open(Folder.Plan plan, NodeSpec node, Task task, StateLimit limit) {
    Folder folder = plan.open(node, task);
    return limit == null || !limit.varies() ? folder : folder.within(limit);
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    Object made = folder.add(state, r);
    // Most records do not change a max, for example.
    return made == state ? made : checked(made, r);
  }

  @Override
  public Object take(Object state, StreamRecord r) {
    return folder.take(state, r);
  }

  @Override
  public Object merge(Object state, Object other, StreamRecord r) {
    return checked(folder.merge(state, other, r), r);
  }

  @Override
  public Object subtract(Object state, StreamRecord r) {
    return folder.subtract(state, r);
  }

  private Object checked(Object state, StreamRecord r) {
    if (state != null) {
      limit.check(r.key, folder.valueOf(state));
    }
    return state;
  }

  @Override
  public Object empty() {
    return folder.empty();
  }

  @Override
  public Object copy(Object state, RowCodec codec) {
    return folder.copy(state, codec);
  }

  @Override
  public Object valueOf(Object state) {
    return folder.valueOf(state);
  }

  @Override
  public Object pack(Object state) {
    return folder.pack(state);
  }

  @Override
  public Object unpack(Object stored) {
    return folder.unpack(stored);
  }
}
