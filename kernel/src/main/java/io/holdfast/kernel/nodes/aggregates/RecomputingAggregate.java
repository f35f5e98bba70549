package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * An aggregate of a table's rows that cannot retract: the rows of each group are stored and, when one is removed, folded again in the order
 * in which they got their values. That happens when the value is needed: once per group and batch, or for each change.
 */
public final class RecomputingAggregate extends TableAggregate {
  private final Folder folder;
  private final RowCodec rowKeys;
  private final RowCodec rowValues;
  private final KeyValueStore rowStore;
  private final DataType folded;
  private final Object empty;

  public RecomputingAggregate(NodeSpec node, Task task, Folder.Plan plan, GroupRow rows, StoreSpec store, boolean readByOthers) {
    super(node, task, rows, store, stored(plan.state()), readByOthers);
    this.folder = LimitedFolder.open(plan, node, task);
    this.rowKeys = task.codec(rows.row());
    this.rowValues = task.codec(rows.value());
    this.rowStore = task.store(store.part("rows"));
    this.folded = plan.state();
    this.empty = folder.empty();
  }

  /** The stored form: the next row's number, the number of rows, the folded state. */
  private static DataType stored(DataType folded) {
    return new StructType().add("next", DataTypes.LongType).add("rows", DataTypes.LongType).add("folded", folded);
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    RowGroup group = (e.state == null ? new RowGroup(rowStore, 0, 0, null) : (RowGroup) e.state).of(e.key);
    if (r.old != null) {
      group.remove(rowKeys.encode(rows.rowOf(r.old)));
    }
    if (r.value != null) {
      Object value = rows.valueOf(r.value);
      group.put(rowKeys.encode(rows.rowOf(r.value)), rowValues.encode(value));
      fold(group, r, value);
    }
    e.state = group.size() == 0 && empty == null ? null : group;
    return true;
  }

  /** Adds a new row to the folded state; if all rows must be folded again, it is added then. */
  private void fold(RowGroup group, StreamRecord r, Object value) {
    if (group.stale) {
      group.fresh.put(group.last(), r);
      return;
    }
    try {
      group.folded = folder.add(group.folded, r.withValue(value));
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
    }
  }

  @Override
  protected Object shown(Entry e, StreamRecord r) {
    if (e.state != null) {
      refold((RowGroup) e.state, r);
    }
    return super.shown(e, r);
  }

  /** Folds all rows, without those that fail; new ones that fail are dead letters. */
  private void refold(RowGroup group, StreamRecord cause) {
    if (!group.stale) {
      return;
    }
    group.folded = null;
    for (Map.Entry<Long, byte[]> row : group.inOrder().entrySet()) {
      StreamRecord r = cause.withValue(rowValues.decode(row.getValue()));
      try {
        group.folded = folder.add(group.folded, r);
      } catch (Exception failure) {
        StreamRecord fresh = group.fresh.get(row.getKey());
        if (fresh != null) {
          task.deadLetter(this, fresh, FailureReasons.of(failure));
        }
      }
    }
    group.stale = false;
    group.fresh.clear();
  }

  @Override
  protected Object valueOf(Object state) {
    RowGroup group = (RowGroup) state;
    if (group.size() == 0) {
      return empty;
    }
    return group.folded == null ? null : folder.valueOf(group.folded);
  }

  @Override
  protected Object packed(Object state) {
    RowGroup group = (RowGroup) state;
    Object inner = group.folded == null ? null : folder.pack(group.folded);
    return new GenericInternalRow(new Object[] {group.next(), group.size(), inner});
  }

  @Override
  protected Object unpacked(Object stored) {
    InternalRow row = (InternalRow) stored;
    Object inner = row.isNullAt(2) ? null : folder.unpack(row.get(2, folded));
    return new RowGroup(rowStore, row.getLong(0), row.getLong(1), inner);
  }
}
