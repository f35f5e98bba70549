package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.tables.TableNode;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** A table-table join by key with a store. */
public final class MaterializedTableJoin extends TableNode {
  private final TableJoinRules rules;
  private final RowCodec keys;
  private TableJoinRules.Change change;

  public MaterializedTableJoin(NodeSpec node, Task task, TableJoinRules.How how, StoreSpec store, boolean readByOthers) {
    super(node, task, store, node.value, readByOthers);
    this.rules = new TableJoinRules(node, task, how);
    this.keys = task.codec(node.key);
  }

  /** The timestamp depends on the result of the join, which is computed here. */
  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    change = rules.after(r, task.keyBytes(r, keys));
    return change == null ? r.timestamp : change.timestamp();
  }

  /** The join is that of the latest versions. */
  @Override
  protected boolean skips(StreamRecord r) {
    return r.isOutdated();
  }

  @Override
  protected boolean keepsValues() {
    return true;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    // A table joined with itself loses both sides at once: there is no match, and a value to delete. An update whose match has expired
    // deletes nothing.
    boolean changes = change != null || r.value == null && e.state != null && rules.before(r, task.keyBytes(r, keys)) != null;
    if (changes) {
      e.state = change == null ? null : change.value();
    }
    return changes;
  }
}
