package io.holdfast.kernel.nodes;

import io.holdfast.kernel.expr.Aggregator;
import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.expr.BoundAggregate;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** The ways to fold the records of a group. */
public final class Folders {
  private Folders() {}

  /** How many records. */
  public record Counting() implements Folder.Plan {
    @Override
    public DataType state() {
      return DataTypes.LongType;
    }

    @Override
    public DataType value() {
      return DataTypes.LongType;
    }

    @Override
    public Folder open(Spec node, Task task) {
      return new Count();
    }
  }

  private static final class Count implements Folder {
    @Override
    public Object add(Object state, Rec r) {
      return (state == null ? 0L : (Long) state) + r.weight();
    }

    @Override
    public Object merge(Object state, Object other, Rec r) {
      return state == null ? other : (Long) state + (Long) other;
    }
  }

  /** Spark's aggregate functions. */
  public record Computing(BoundAggregate bound) implements Folder.Plan {
    @Override
    public DataType state() {
      return bound.bufferType();
    }

    @Override
    public DataType value() {
      return bound.type();
    }

    @Override
    public Folder open(Spec node, Task task) {
      return new Functions(bound, task);
    }
  }

  private static final class Functions implements Folder {
    private final Aggregator aggregator;
    private final ScopeRow scope;

    Functions(BoundAggregate bound, Task task) {
      aggregator = bound.open();
      scope = new ScopeRow(2, bound.usesMeta(), task.program().topics());
    }

    @Override
    public Object add(Object state, Rec r) {
      InternalRow row = scope.of(r, r.key, r.value);
      aggregator.rehearse(row);
      if (aggregator.mayFail()) {
        return tried(state, row);
      }
      InternalRow buffer = state == null ? aggregator.create() : (InternalRow) state;
      aggregator.update(buffer, row);
      return buffer;
    }

    /** A record after which there is no result must leave no trace: it is taken into a copy. */
    private InternalRow tried(Object state, InternalRow row) {
      InternalRow buffer = state == null ? aggregator.create() : aggregator.unpack(aggregator.pack((InternalRow) state));
      aggregator.update(buffer, row);
      aggregator.result(buffer);
      return buffer;
    }

    @Override
    public Object merge(Object state, Object other, Rec r) {
      if (state == null) {
        return other;
      }
      aggregator.merge((InternalRow) state, (InternalRow) other);
      return state;
    }

    @Override
    public Object valueOf(Object state) {
      return aggregator.result((InternalRow) state);
    }

    @Override
    public Object pack(Object state) {
      return aggregator.pack((InternalRow) state);
    }

    @Override
    public Object unpack(Object stored) {
      return aggregator.unpack((InternalRow) stored);
    }
  }

  /** The first value, then what the function makes of old and new. */
  public record Reducing(DataType value, Bound reducer) implements Folder.Plan {
    @Override
    public DataType state() {
      return value;
    }

    @Override
    public Folder open(Spec node, Task task) {
      return new Reduce(reducer, task);
    }
  }

  private static final class Reduce implements Folder {
    private final Evaluator reducer;
    private final ScopeRow scope;

    Reduce(Bound reducer, Task task) {
      this.reducer = reducer.open();
      this.scope = new ScopeRow(3, reducer.usesMeta(), task.program().topics());
    }

    @Override
    public Object add(Object state, Rec r) {
      return state == null ? r.value : reducer.value(scope.of(r, state, r.value, r.key));
    }

    @Override
    public Object merge(Object state, Object other, Rec r) {
      return state == null ? other : reducer.value(scope.of(r, state, other, r.key));
    }
  }

  /**
   * An initial state, then what the function makes of state and value.
   *
   * @param merge what becomes of two states; null where groups never become one
   */
  public record Folding(DataType state, Bound initial, Bound adder, Bound merge) implements Folder.Plan {
    @Override
    public DataType value() {
      return state;
    }

    @Override
    public Folder open(Spec node, Task task) {
      return new Fold(initial.open().value(new GenericInternalRow(Scope.META_NAMES.size())), adder, merge, task);
    }
  }

  private static final class Fold implements Folder {
    private final Object initial;
    private final Evaluator add;
    private final Evaluator merge;
    private final ScopeRow scope;

    Fold(Object initial, Bound add, Bound merge, Task task) {
      this.initial = initial;
      this.add = add.open();
      this.merge = merge == null ? null : merge.open();
      boolean meta = add.usesMeta() || merge != null && merge.usesMeta();
      this.scope = new ScopeRow(3, meta, task.program().topics());
    }

    @Override
    public Object add(Object state, Rec r) {
      return add.value(scope.of(r, state == null ? initial : state, r.value, r.key));
    }

    @Override
    public Object merge(Object state, Object other, Rec r) {
      return merge.value(scope.of(r, state == null ? initial : state, other, r.key));
    }
  }
}
