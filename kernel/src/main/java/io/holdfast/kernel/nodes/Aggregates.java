package io.holdfast.kernel.nodes;

import io.holdfast.kernel.expr.Aggregator;
import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.expr.BoundAggregate;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Tables that fold the records of a group. Records without a value are skipped, as Kafka Streams does. */
public final class Aggregates {
  private Aggregates() {}

  abstract static class Folding extends TableNode {
    Folding(Spec node, Task task, StoreSpec store, DataType state, boolean readByOthers) {
      super(node, task, store, state, readByOthers);
    }

    @Override
    protected boolean skips(Rec r) {
      return r.value == null;
    }
  }

  /** How many records. */
  public static final class Count extends Folding {
    public Count(Spec node, Task task, StoreSpec store, boolean readByOthers) {
      super(node, task, store, DataTypes.LongType, readByOthers);
    }

    @Override
    protected boolean apply(Entry e, Rec r) {
      e.state = (e.state == null ? 0L : (Long) e.state) + r.weight();
      return true;
    }
  }

  /** Spark's aggregate functions. */
  public static final class Functions extends Folding {
    private final Aggregator aggregator;
    private final ScopeRow scope;

    public Functions(Spec node, Task task, BoundAggregate bound, StoreSpec store, boolean readByOthers) {
      super(node, task, store, bound.bufferType(), readByOthers);
      aggregator = bound.open();
      scope = new ScopeRow(2, bound.usesMeta(), task.program().topics());
    }

    @Override
    protected boolean apply(Entry e, Rec r) {
      InternalRow row = scope.of(r, r.key, r.value);
      aggregator.rehearse(row);
      if (aggregator.mayFail()) {
        e.state = tried(e.state, row);
        return true;
      }
      InternalRow buffer = e.state == null ? aggregator.create() : (InternalRow) e.state;
      aggregator.update(buffer, row);
      e.state = buffer;
      return true;
    }

    /** A record after which there is no result must leave no trace: it is taken into a copy. */
    private InternalRow tried(Object state, InternalRow row) {
      InternalRow buffer = state == null ? aggregator.create() : aggregator.unpack(aggregator.pack((InternalRow) state));
      aggregator.update(buffer, row);
      aggregator.result(buffer);
      return buffer;
    }

    @Override
    protected Object valueOf(Object state) {
      return aggregator.result((InternalRow) state);
    }

    @Override
    protected Object packed(Object state) {
      return aggregator.pack((InternalRow) state);
    }

    @Override
    protected Object unpacked(Object stored) {
      return aggregator.unpack((InternalRow) stored);
    }
  }

  /** The first value, then what the function makes of old and new. */
  public static final class Reduce extends Folding {
    private final Evaluator reducer;
    private final ScopeRow scope;

    public Reduce(Spec node, Task task, Bound reducer, StoreSpec store, boolean readByOthers) {
      super(node, task, store, node.value, readByOthers);
      this.reducer = reducer.open();
      this.scope = new ScopeRow(3, reducer.usesMeta(), task.program().topics());
    }

    @Override
    protected boolean apply(Entry e, Rec r) {
      e.state = e.state == null ? r.value : reducer.value(scope.of(r, e.state, r.value, r.key));
      return true;
    }
  }

  /** An initial state, then what the function makes of state and value. */
  public static final class Fold extends Folding {
    private final Object initial;
    private final Evaluator add;
    private final ScopeRow scope;

    public Fold(Spec node, Task task, Object initial, Bound add, StoreSpec store, boolean readByOthers) {
      super(node, task, store, node.value, readByOthers);
      this.initial = initial;
      this.add = add.open();
      this.scope = new ScopeRow(3, add.usesMeta(), task.program().topics());
    }

    @Override
    protected boolean apply(Entry e, Rec r) {
      e.state = add.value(scope.of(r, e.state == null ? initial : e.state, r.value, r.key));
      return true;
    }
  }
}
