package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** A stream-table join with a grace period: each record is buffered until stream time is past it by the grace, and then joined with a versioned table. */
public final class GraceJoin extends StreamTableJoin {
  private static final byte[] NEXT = {'n'};
  private final long grace;
  private final KeyValueStore store;
  private final StreamTime time;
  private final TimeIndex waiting;
  private final RowCodec keys;
  private final RowCodec values;
  /** The number of the next record that is buffered: records of equal times are joined in the order of arrival. */
  private long next;

  public GraceJoin(NodeSpec spec, Task task, boolean left, BoundExpressions joiner, long grace, StoreSpec store, DataType value) {
    super(spec, task, left, spec.key, null, joiner);
    this.grace = grace;
    this.store = task.store(store);
    this.time = new StreamTime(new PrefixedStore(this.store, 't'));
    this.waiting = TimeIndex.forWait(new PrefixedStore(this.store, 'w'), grace);
    this.keys = task.codec(spec.key);
    this.values = task.codec(value);
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    if (!batch.isEmpty()) {
      load();
      super.run(batch);
      flush();
    }
  }

  @Override
  protected void tick(long reached) {
    load();
    if (reached > time.now()) {
      time.observe(reached);
      joinWaiting(task.tickOrder(), 0);
    }
    flush();
  }

  @Override
  protected long lastDue(long limit) {
    waiting.load();
    return TimeIndex.later(waiting.lastUpTo(limit - grace, due -> true), grace);
  }

  private void load() {
    time.load();
    waiting.load();
    byte[] number = store.get(NEXT);
    next = number == null ? 0 : ByteBuffer.wrap(number).getLong();
  }

  private void flush() {
    time.save();
    waiting.flush();
    store.put(NEXT, ByteBuffer.allocate(8).putLong(next).array());
  }

  @Override
  protected void meet(StreamRecord r, Object key) {
    boolean tooLate = time.now() != Long.MIN_VALUE && r.timestamp < time.now() - grace;
    if (key == null || tooLate) {
      join(r, key, r.order, Order.emission(r.order, 0));
      return;
    }
    byte[] record = Envelope.encodeStored(r, task.keyBytes(r, keys), values);
    waiting.add(r.timestamp, ByteBuffer.allocate(8 + record.length).putLong(next++).put(record).array());
    time.observe(r.timestamp);
    joinWaiting(r.order, 0);
  }

  private void joinWaiting(byte[] order, int emitted) {
    for (TimeIndex.Due due : waiting.pollUpTo(time.now() - grace)) {
      StreamRecord r = Envelope.decodeStored(Arrays.copyOfRange(due.entry(), 8, due.entry().length), keys, values);
      try {
        join(r, r.key, order, Order.emission(order, emitted++));
      } catch (Exception failure) {
        task.deadLetter(this, r, FailureReasons.of(failure));
      }
    }
  }
}
