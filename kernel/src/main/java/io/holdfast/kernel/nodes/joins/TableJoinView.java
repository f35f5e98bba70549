package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.nodes.tables.View;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A table-table join by key without a store. */
public final class TableJoinView extends View {
  private final TableJoinRules rules;
  /** The value of the join after the last change of each key in this batch. */
  private final Map<Bytes, LastJoin> lastJoins = new HashMap<>();

  private record LastJoin(byte[] order, Object value) {}

  public TableJoinView(NodeSpec spec, Task task, TableJoinRules.How how, boolean every) {
    super(spec, task, every);
    rules = new TableJoinRules(spec, task, how);
  }

  @Override
  protected boolean gathers() {
    return true;
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    lastJoins.clear();
    super.run(batch);
  }

  @Override
  protected void process(StreamRecord r) {
    if (r.isOutdated()) {
      task.skip(this, r); // The join is that of the latest versions.
      return;
    }
    byte[] keyBytes = task.keyBytes(r, keys);
    Bytes key = new Bytes(keyBytes);
    Object before = before(r, lastJoins.get(key), keyBytes);
    lastJoins.put(key, new LastJoin(r.order, null));
    TableJoinRules.Change change = rules.after(r, keyBytes);
    if (change == null && (before == null || r.value != null)) {
      // The match of an update that has just lost it: it was deleted, which comes here by itself, or it has expired, which is no update.
      lastJoins.put(key, new LastJoin(r.order, before));
      return;
    }
    // A table joined with itself loses both sides at once: there is no match, and a value to delete.
    Object after = change == null ? null : change.value();
    lastJoins.put(key, new LastJoin(r.order, after));
    emitChange(r.change(before, after, change == null ? r.timestamp : change.timestamp()));
  }

  /** The same source record may change both sides; the value after the first change is the one before the second. */
  private Object before(StreamRecord r, LastJoin last, byte[] keyBytes) {
    return last != null && Order.sameSource(last.order, r.order) ? last.value : rules.before(r, keyBytes);
  }

  @Override
  public ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    try {
      return rules.asOf(keyBytes, key, order);
    } catch (Exception failure) {
      throw new IllegalStateException("the table " + id() + " fails on the values of this key: " + FailureReasons.of(failure));
    }
  }
}
