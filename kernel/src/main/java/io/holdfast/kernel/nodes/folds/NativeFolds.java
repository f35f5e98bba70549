package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.expr.BoundAggregate;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.expr.ValueSize;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.Combiner;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** The folds that run in the JVM. */
public final class NativeFolds {
  private NativeFolds() {}

  /** How many records. */
  public record CountPlan() implements Folder.Plan {
    @Override
    public DataType state() {
      return DataTypes.LongType;
    }

    @Override
    public DataType value() {
      return DataTypes.LongType;
    }

    @Override
    public boolean subtracts() {
      return true;
    }

    @Override
    public boolean usesMeta() {
      return false;
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new Count();
    }

    @Override
    public Combiner.Plan combiner() {
      return new PartialStates.Plan(this);
    }
  }

  private static final class Count implements Folder {
    @Override
    public Object subtract(Object state, StreamRecord r) {
      return (Long) state - 1;
    }

    @Override
    public Object add(Object state, StreamRecord r) {
      return (state == null ? 0L : (Long) state) + 1;
    }

    @Override
    public Object merge(Object state, Object other, StreamRecord r) {
      return state == null ? other : (Long) state + (Long) other;
    }
  }

  /** Spark's aggregate functions. */
  public record AggregatePlan(BoundAggregate bound) implements Folder.Plan {
    @Override
    public DataType state() {
      return bound.bufferType();
    }

    @Override
    public DataType value() {
      return bound.type();
    }

    @Override
    public DataType remembered() {
      return bound.remembered();
    }

    @Override
    public boolean usesMeta() {
      return bound.usesMeta();
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new AggregateFolder(bound, task);
    }

    @Override
    public Combiner.Plan combiner() {
      // A state that grows may become too large, and then one of its records is refused: combined, they could not be told apart.
      return bound.mergesExactly() && !ValueSize.varies(bound.bufferType()) ? new PartialStates.Plan(this) : null;
    }
  }

  /**
   * The first value, then the result of the function for old and new.
   *
   * @param subtract retracts a value; null if there is none
   */
  public record ReducePlan(DataType value, BoundExpressions reducer, BoundExpressions subtract) implements Folder.Plan {
    @Override
    public DataType state() {
      return value;
    }

    @Override
    public boolean subtracts() {
      return subtract != null;
    }

    @Override
    public boolean usesMeta() {
      return uses(reducer) || uses(subtract);
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new Reduce(this, task);
    }
  }

  private static boolean uses(BoundExpressions bound) {
    return bound != null && bound.usesMeta();
  }

  private static Evaluator opened(BoundExpressions bound) {
    return bound == null ? null : bound.open();
  }

  private static final class Reduce implements Folder {
    private final Evaluator reducer;
    private final Evaluator subtract;
    private final ScopeRow scope;

    Reduce(ReducePlan plan, Task task) {
      this.reducer = plan.reducer.open();
      this.subtract = opened(plan.subtract);
      this.scope = new ScopeRow(3, plan.usesMeta(), task.program().topics());
    }

    @Override
    public Object subtract(Object state, StreamRecord r) {
      return subtract.value(scope.of(r, state, r.value, r.key));
    }

    @Override
    public Object add(Object state, StreamRecord r) {
      return state == null ? r.value : reducer.value(scope.of(r, state, r.value, r.key));
    }

    @Override
    public Object merge(Object state, Object other, StreamRecord r) {
      return state == null ? other : reducer.value(scope.of(r, state, other, r.key));
    }
  }

  /**
   * An initial state, then the result of the function for state and value.
   *
   * @param merge merges two states; null where groups never become one
   * @param subtract retracts a value; null if there is none
   */
  public record FoldPlan(DataType state, BoundExpressions initial, BoundExpressions adder, BoundExpressions merge, BoundExpressions subtract) implements Folder.Plan {
    @Override
    public DataType value() {
      return state;
    }

    @Override
    public boolean subtracts() {
      return subtract != null;
    }

    @Override
    public boolean usesMeta() {
      return uses(adder) || uses(merge) || uses(subtract);
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new Fold(this, task);
    }
  }

  private static final class Fold implements Folder {
    private final Object initial;
    private final Evaluator add;
    private final Evaluator merge;
    private final Evaluator subtract;
    private final ScopeRow scope;

    Fold(FoldPlan plan, Task task) {
      initial = plan.initial.open().value(new GenericInternalRow(Scope.META_NAMES.size()));
      add = plan.adder.open();
      merge = opened(plan.merge);
      subtract = opened(plan.subtract);
      scope = new ScopeRow(3, plan.usesMeta(), task.program().topics());
    }

    @Override
    public Object subtract(Object state, StreamRecord r) {
      return subtract.value(scope.of(r, state, r.value, r.key));
    }

    @Override
    public Object add(Object state, StreamRecord r) {
      return add.value(scope.of(r, state == null ? initial : state, r.value, r.key));
    }

    @Override
    public Object merge(Object state, Object other, StreamRecord r) {
      return merge.value(scope.of(r, state == null ? initial : state, other, r.key));
    }
  }
}
