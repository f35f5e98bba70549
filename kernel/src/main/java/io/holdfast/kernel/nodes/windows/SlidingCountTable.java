package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.tables.TableNode;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RecordCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** A sliding count window: a result per record, over the last n records of its key. The records are stored with the result, the earliest first. */
public final class SlidingCountTable extends TableNode {
  private final int n;
  private final Folder folder;
  private final DataType result;
  private final RecordCodec codec;

  /** The last records of a key, as bytes until they are needed, and their result. */
  private static final class RecentRecords {
    final byte[] packed;
    List<StreamRecord> records;
    final Object result;

    RecentRecords(byte[] packed, List<StreamRecord> records, Object result) {
      this.packed = packed;
      this.records = records;
      this.result = result;
    }
  }

  /**
   * @param values the type of the values, per input
   */
  public SlidingCountTable(NodeSpec node, Task task, Folder.Plan plan, int n, List<DataType> values, StoreSpec store, boolean readByOthers) {
    super(node, task, store, stateType(plan), readByOthers);
    this.n = n;
    this.folder = LimitedFolder.open(plan, node, task);
    this.result = plan.value();
    this.codec = new RecordCodec(values);
  }

  private static DataType stateType(Folder.Plan plan) {
    return new StructType().add("records", DataTypes.BinaryType).add("result", plan.value());
  }

  @Override
  protected boolean skips(StreamRecord r) {
    return r.value == null;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    List<StreamRecord> records = new ArrayList<>(before(e, r));
    Object state = folder.add(folder.fold(records), r);
    records.add(r);
    e.state = new RecentRecords(null, records, state == null ? null : folder.valueOf(state));
    return true;
  }

  /** The latest of the records that went into the result. */
  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    return before(e, r).stream().mapToLong(each -> each.timestamp).reduce(r.timestamp, Math::max);
  }

  /** The earlier records in the window of this one. */
  private List<StreamRecord> before(Entry e, StreamRecord r) {
    RecentRecords recent = (RecentRecords) e.state;
    if (recent == null) {
      return List.of();
    }
    if (recent.records == null) {
      recent.records = read(recent.packed, r.key);
    }
    int size = recent.records.size();
    return recent.records.subList(Math.max(0, size - n + 1), size);
  }

  private List<StreamRecord> read(byte[] packed, Object key) {
    List<StreamRecord> out = new ArrayList<>();
    ByteBuffer b = ByteBuffer.wrap(packed);
    while (b.hasRemaining()) {
      byte[] one = new byte[b.getInt()];
      b.get(one);
      out.add(codec.decode(one, key));
    }
    return out;
  }

  private byte[] write(List<StreamRecord> records) {
    List<byte[]> parts = records.stream().map(codec::encode).toList();
    ByteBuffer b = ByteBuffer.allocate(parts.stream().mapToInt(p -> 4 + p.length).sum());
    parts.forEach(p -> b.putInt(p.length).put(p));
    return b.array();
  }

  @Override
  protected Object valueOf(Object state) {
    return ((RecentRecords) state).result;
  }

  @Override
  protected Object packed(Object state) {
    RecentRecords recent = (RecentRecords) state;
    byte[] records = recent.records == null ? recent.packed : write(recent.records);
    return new GenericInternalRow(new Object[] {records, recent.result});
  }

  @Override
  protected Object unpacked(Object stored) {
    InternalRow row = (InternalRow) stored;
    return new RecentRecords(row.getBinary(0), null, row.isNullAt(1) ? null : row.get(1, result));
  }
}
