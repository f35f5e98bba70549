package io.holdfast.kernel.nodes.streams;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Nodes that process one record at a time and have no state. */
public final class Stateless {
  private Stateless() {}

  /** A node with one projection over (key, value). */
  abstract static class Projecting extends Node {
    protected final Evaluator evaluator;
    private final ScopeRow scope;

    Projecting(NodeSpec spec, Task task, BoundExpressions bound) {
      super(spec.id);
      evaluator = bound.open();
      scope = new ScopeRow(2, bound.usesMeta(), task.program().topics());
    }

    protected final boolean test(StreamRecord r) {
      return evaluator.test(scope.of(r, r.key, r.value));
    }

    protected final Object value(StreamRecord r) {
      return evaluator.value(scope.of(r, r.key, r.value));
    }

    protected final UnsafeRow row(StreamRecord r) {
      return evaluator.row(scope.of(r, r.key, r.value));
    }
  }

  /** Emits the records for which the predicate is true; negated, those that it would drop. */
  public static final class Filter extends Projecting {
    private final boolean wanted;

    public Filter(NodeSpec spec, Task task, BoundExpressions predicate, boolean wanted) {
      super(spec, task, predicate);
      this.wanted = wanted;
    }

    @Override
    protected void process(StreamRecord r) {
      if (test(r) == wanted) {
        emit(r);
      }
    }
  }

  /** A record that does not meet the predicate is a dead letter. */
  public static final class Require extends Projecting {
    private final String reason;

    public Require(NodeSpec spec, Task task, BoundExpressions predicate, String reason) {
      super(spec, task, predicate);
      this.reason = reason;
    }

    @Override
    protected void process(StreamRecord r) {
      if (test(r)) {
        emit(r);
      } else {
        task.deadLetter(this, r, reason);
      }
    }
  }

  /** Computes a new value. */
  public static final class MapValues extends Projecting {
    public MapValues(NodeSpec spec, Task task, BoundExpressions value) {
      super(spec, task, value);
    }

    @Override
    protected void process(StreamRecord r) {
      emit(r.withValue(value(r)));
    }
  }

  /** Computes a new key. */
  public static final class SelectKey extends Projecting {
    public SelectKey(NodeSpec spec, Task task, BoundExpressions key) {
      super(spec, task, key);
    }

    @Override
    protected void process(StreamRecord r) {
      emit(r.withKey(value(r)));
    }
  }

  /** Computes a new key and a new value. */
  public static final class MapBoth extends Projecting {
    public MapBoth(NodeSpec spec, Task task, BoundExpressions keyAndValue) {
      super(spec, task, keyAndValue);
    }

    @Override
    protected void process(StreamRecord r) {
      UnsafeRow out = row(r);
      emit(r.withKeyAndValue(evaluator.get(out, 0), evaluator.get(out, 1)));
    }
  }

  /** The first branch whose predicate is true gets the record, else the default. */
  public static final class Split extends Projecting {
    public Split(NodeSpec spec, Task task, BoundExpressions branch) {
      super(spec, task, branch);
    }

    @Override
    protected void process(StreamRecord r) {
      long branch = (Long) value(r);
      for (int c = 0; c < consumers(); c++) {
        if (((Branch) consumer(c)).index == branch) {
          emitTo(c, r);
        }
      }
    }
  }

  /** One branch of a split. */
  public static final class Branch extends Node {
    final int index;

    public Branch(NodeSpec spec, int index) {
      super(spec.id);
      this.index = index;
    }

    @Override
    protected void process(StreamRecord r) {
      emit(r);
    }
  }

  /** Forwards records: merged streams in their common order, changes of a table as records, records of a grouping. */
  public static final class Pass extends Node {
    public Pass(NodeSpec spec) {
      super(spec.id);
    }

    @Override
    protected void process(StreamRecord r) {
      emit(r);
    }
  }
}
