package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.tables.TableNode;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** A tumbling count window: a result per n records of a key. The state of the current window is stored with the last result. */
public final class TumblingCountTable extends TableNode {
  private final int n;
  private final Folder folder;
  private final DataType partial;
  private final DataType result;

  /** The current window of a key: the number of its records, their latest time and state, and the last result. */
  private record CountWindow(int records, long latest, Object state, Object result) {}

  public TumblingCountTable(NodeSpec node, Task task, Folder.Plan plan, int n, StoreSpec store, boolean readByOthers) {
    super(node, task, store, stateType(plan), readByOthers);
    this.n = n;
    this.folder = LimitedFolder.open(plan, node, task);
    this.partial = plan.state();
    this.result = plan.value();
  }

  private static DataType stateType(Folder.Plan plan) {
    return new StructType().add("records", DataTypes.IntegerType).add("latest", DataTypes.LongType)
        .add("partial", plan.state()).add("result", plan.value());
  }

  @Override
  protected boolean skips(StreamRecord r) {
    return r.value == null;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    CountWindow window = window(e);
    int records = window.records + 1;
    Object state = records < n ? folder.take(window.state, r) : folder.add(window.state, r);
    if (records < n) {
      e.state = new CountWindow(records, timestampOf(e, r), state, window.result);
      markChanged(e);
      return false;
    }
    e.state = new CountWindow(0, Long.MIN_VALUE, null, state == null ? null : folder.valueOf(state));
    return true;
  }

  /** The latest of the records that went into the result. */
  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    return Math.max(window(e).latest, r.timestamp);
  }

  private static CountWindow window(Entry e) {
    return e.state == null ? new CountWindow(0, Long.MIN_VALUE, null, null) : (CountWindow) e.state;
  }

  @Override
  protected Object valueOf(Object state) {
    return ((CountWindow) state).result;
  }

  @Override
  protected Object packed(Object state) {
    CountWindow window = (CountWindow) state;
    Object begun = window.state == null ? null : folder.pack(window.state);
    return new GenericInternalRow(new Object[] {window.records, window.latest, begun, window.result});
  }

  @Override
  protected Object unpacked(Object stored) {
    InternalRow row = (InternalRow) stored;
    Object begun = row.isNullAt(2) ? null : folder.unpack(row.get(2, partial));
    return new CountWindow(row.getInt(0), row.getLong(1), begun, row.isNullAt(3) ? null : row.get(3, result));
  }
}
