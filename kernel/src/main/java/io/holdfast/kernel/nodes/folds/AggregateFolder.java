package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.expr.Aggregator;
import io.holdfast.kernel.expr.BoundAggregate;
import io.holdfast.kernel.expr.ValueSize;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;

/** Spark's aggregate functions over the records of a group. */
final class AggregateFolder implements Folder {
  private final Aggregator aggregator;
  private final DataType buffers;
  private final ScopeRow scope;
  private StateLimit limit;

  AggregateFolder(BoundAggregate bound, Task task) {
    aggregator = bound.open();
    buffers = bound.bufferType();
    scope = new ScopeRow(2, bound.usesMeta(), task.program().topics());
  }

  @Override
  public AggregateFolder within(StateLimit most) {
    limit = most;
    return this;
  }

  /** A buffer, and how many bytes of JSON its objects may take; only where there is a limit. */
  private record MeasuredBuffer(InternalRow buffer, long objects) {}

  private static InternalRow buffer(Object state) {
    return state instanceof MeasuredBuffer measured ? measured.buffer : (InternalRow) state;
  }

  private static long objects(Object state) {
    return state instanceof MeasuredBuffer measured ? measured.objects : 0;
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    InternalRow row = scope.of(r, r.key, r.value);
    long taken = aggregator.rehearse(row);
    if (aggregator.mayFail()) {
      return tried(state, row, r.key);
    }
    return limit == null ? updated(state, row) : addWithin(state, row, limit.written(taken), r.key);
  }

  @Override
  public boolean addsWithoutFailure(Object state, StreamRecord r) {
    if (limit == null || aggregator.mayFail() || !aggregator.keepsObjects()) {
      // Either it does not fail, or it leaves the buffer unchanged.
      return true;
    }
    long taken = limit.written(aggregator.rehearse(scope.of(r, r.key, r.value)));
    return !aggregator.keepsValues() && objects(state) + taken <= limit.safeBytes(r.key);
  }

  @Override
  public Object take(Object state, StreamRecord r) {
    InternalRow row = scope.of(r, r.key, r.value);
    int taken = aggregator.rehearse(row);
    InternalRow buffer = updated(buffer(state), row);
    return limit == null ? buffer : new MeasuredBuffer(buffer, objects(state) + limit.written(taken));
  }

  private InternalRow updated(Object state, InternalRow row) {
    InternalRow buffer = state == null ? aggregator.create() : (InternalRow) state;
    aggregator.update(buffer, row);
    return buffer;
  }

  /** A record after which there is no result, or one that is too large, must not change the state: it is added to a copy. */
  private Object tried(Object state, InternalRow row, Object key) {
    InternalRow buffer = state == null ? aggregator.create() : aggregator.unpack(aggregator.pack(buffer(state)));
    aggregator.update(buffer, row);
    InternalRow result = aggregator.result(buffer);
    return limit == null ? buffer : new MeasuredBuffer(buffer, limit.check(key, result));
  }

  /** Copies only what is cheap to copy, while the value is small enough in any case. */
  private Object addWithin(Object state, InternalRow row, long taken, Object key) {
    InternalRow buffer = state == null ? aggregator.create() : aggregator.lightCopy(buffer(state));
    long objects = objects(state) + taken;
    aggregator.updateDeclared(buffer, row);
    if (objects + limit.written(aggregator.declaredBytes(buffer)) > limit.safeBytes(key)) {
      return tried(state, row, key);
    }
    aggregator.updateObjects(buffer, row);
    return new MeasuredBuffer(buffer, objects);
  }

  @Override
  public Object merge(Object state, Object other, StreamRecord r) {
    if (state == null) {
      return other;
    }
    aggregator.merge(buffer(state), buffer(other));
    return limit == null ? state : new MeasuredBuffer(buffer(state), objects(state) + objects(other));
  }

  @Override
  public Object empty() {
    return aggregator.empty();
  }

  @Override
  public Object valueOf(Object state) {
    return aggregator.result(buffer(state));
  }

  @Override
  public Object pack(Object state) {
    return aggregator.pack(buffer(state));
  }

  @Override
  public Object unpack(Object stored) {
    InternalRow buffer = aggregator.unpack((InternalRow) stored);
    return limit == null ? buffer : new MeasuredBuffer(buffer, limit.written(ValueSize.of(stored, buffers)));
  }
}
