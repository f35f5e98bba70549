package io.holdfast.kernel.nodes.streams;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.stores.BatchCache;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * Emits the first of duplicate records; further ones within the time of one that was emitted, before it or after it, are dropped.
 *
 * <p>The state has the times of the records that were emitted, per key and identity, sorted. A time expires when a duplicate of it would be
 * further behind stream time than the time within which records are compared.
 */
public final class Deduplicate extends Node {
  private final Evaluator by;
  private final ScopeRow scope;
  private final RowCodec identities;
  private final long within;
  private final long retention;
  private final BatchCache emitted;
  private final StreamTime time;
  private final TimeIndex index;

  public Deduplicate(NodeSpec spec, Task task, BoundExpressions by, long within, StoreSpec store) {
    super(spec.id);
    this.by = by.open();
    this.scope = new ScopeRow(2, by.usesMeta(), task.program().topics());
    this.identities = task.codec(new StructType().add("key", spec.key).add("by", by.type(0)));
    this.within = within;
    this.retention = within > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * within;
    this.emitted = new BatchCache(task.store(store));
    KeyValueStore times = task.store(store.part("time"));
    this.time = new StreamTime(times);
    this.index = TimeIndex.forWait(times, retention);
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    if (batch.isEmpty()) {
      return;
    }
    time.load();
    index.load();
    super.run(batch);
    expire();
  }

  @Override
  protected void process(StreamRecord r) {
    Object identity = by.value(scope.of(r, r.key, r.value));
    time.observe(r.timestamp);
    if (identity == null) {
      emit(r);
      return;
    }
    byte[] entry = identities.encode(new GenericInternalRow(new Object[] {r.key, identity}));
    long[] before = times(emitted.get(entry));
    if (isNear(before, r.timestamp)) {
      task.skip(this, r);
      return;
    }
    emitted.put(entry, bytes(with(before, r.timestamp)));
    index.add(expiry(r.timestamp), entry);
    emit(r);
  }

  private boolean isNear(long[] times, long timestamp) {
    for (long t : times) {
      if (!isExpired(t) && Math.abs(t - timestamp) <= within) {
        return true;
      }
    }
    return false;
  }

  private boolean isExpired(long timestamp) {
    return expiry(timestamp) < time.now();
  }

  private long expiry(long timestamp) {
    return timestamp > Long.MAX_VALUE - retention ? Long.MAX_VALUE : timestamp + retention;
  }

  @Override
  protected void tick(long now) {
    time.load();
    index.load();
    time.observe(now);
    expire();
  }

  /** The end of a batch: drops expired times from the state. */
  private void expire() {
    for (TimeIndex.Due due : index.pollUpTo(time.now() - 1)) {
      long[] left = Arrays.stream(times(emitted.get(due.entry()))).filter(t -> !isExpired(t)).toArray();
      emitted.put(due.entry(), left.length == 0 ? null : bytes(left));
    }
    emitted.flush();
    index.flush();
    time.save();
  }

  private static long[] with(long[] times, long timestamp) {
    long[] out = Arrays.copyOf(times, times.length + 1);
    out[times.length] = timestamp;
    Arrays.sort(out);
    return out;
  }

  private static long[] times(byte[] stored) {
    if (stored == null) {
      return new long[0];
    }
    long[] out = new long[stored.length / 8];
    ByteBuffer.wrap(stored).asLongBuffer().get(out);
    return out;
  }

  private static byte[] bytes(long[] times) {
    ByteBuffer b = ByteBuffer.allocate(8 * times.length);
    b.asLongBuffer().put(times);
    return b.array();
  }
}
