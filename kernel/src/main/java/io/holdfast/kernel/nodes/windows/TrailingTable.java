package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.tables.TableNode;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RecordCodec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;

/**
 * A result per record, over the time before it: for a record at t the records in (t - size, t].
 *
 * <p>A record is stored while one may come whose window contains it. The index has one entry per key, so that the records of a key that gets
 * no more are dropped, too; the last result stays.
 */
public final class TrailingTable extends TableNode {
  /** The part of the store with the records. */
  public static final String RECORDS = "records";
  /** The part of the store with stream time and the index by time. */
  public static final String TIME = "time";
  private final Options options;
  private final Folder folder;
  private final RowCodec keys;
  private final KeyValueStore records;
  private final RecordCodec codec;
  private final StreamTime time;
  private final TimeIndex index;
  private final Map<Bytes, TrailingRecords> trails = new HashMap<>();

  /**
   * The options of a trailing window.
   *
   * @param grace how far behind the latest record a record may be, in milliseconds
   * @param late the topic of late records, or null
   */
  public record Options(long size, long grace, String late) implements java.io.Serializable {
    /** How long a record may be needed. */
    long needed() {
      return size + grace;
    }
  }

  /**
   * @param values the type of the values, per input
   */
  public TrailingTable(NodeSpec node, Task task, Folder.Plan plan, Options options, List<DataType> values, StoreSpec store, boolean readByOthers) {
    super(node, task, store, plan.value(), readByOthers);
    this.options = options;
    this.folder = plan.open(node, task);
    this.keys = task.codec(node.key);
    this.records = task.store(store.part(RECORDS));
    this.codec = new RecordCodec(values);
    KeyValueStore times = task.store(store.part(TIME));
    this.time = new StreamTime(times);
    this.index = TimeIndex.forWait(times, options.needed());
  }

  @Override
  protected boolean skips(StreamRecord r) {
    return r.value == null;
  }

  @Override
  protected void begin() {
    trails.clear();
    time.load();
    index.load();
  }

  @Override
  protected boolean keepsValues() {
    return true;
  }

  @Override
  protected boolean apply(Entry e, StreamRecord r) {
    long now = time.observe(r.timestamp);
    if (r.timestamp < now - options.grace) {
      task.late(this, r, options.late, r.timestamp - options.size, r.timestamp, now);
      return false;
    }
    TrailingRecords trail = trail(e.key, r.key);
    boolean begins = trail.isNew() && trail.isEmpty();
    Object state = trail.fold(r, options.size, folder);
    e.state = state == null ? null : folder.valueOf(state);
    trail.add(r);
    trail.dropUpTo(now - options.needed());
    if (begins) {
      await(e.key, trail);
    }
    return true;
  }

  @Override
  protected long timestampOf(Entry e, StreamRecord r) {
    return r.timestamp;
  }

  private TrailingRecords trail(byte[] bytes, Object key) {
    return trails.computeIfAbsent(new Bytes(bytes), b -> new TrailingRecords(new TimeSeries(records, bytes), codec, key));
  }

  private void await(byte[] key, TrailingRecords trail) {
    index.add(trail.latest() + options.needed(), key);
  }

  @Override
  protected void end() {
    for (TimeIndex.Due due : index.pollUpTo(time.now())) {
      TrailingRecords trail = trail(due.entry(), keys.decode(due.entry()));
      trail.dropUpTo(time.now() - options.needed());
      if (!trail.isEmpty()) {
        await(due.entry(), trail);
      }
    }
    trails.values().forEach(TrailingRecords::flush);
    time.save();
    index.flush();
  }
}
