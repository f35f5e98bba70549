package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;

/** A filtered or mapped table without a store. */
public final class TableView extends View {
  private final Change change;
  private final String parent;

  /**
   * @param every whether the table under it emits every update
   * @param versioned whether the table under it has versions
   */
  public TableView(NodeSpec spec, Task task, BoundExpressions bound, boolean filter, boolean every, boolean versioned) {
    super(spec, task, every);
    change = new Change(task, bound, filter, versioned);
    parent = spec.inputs.get(0);
  }

  @Override
  protected void process(StreamRecord r) {
    Object before = before(r);
    Object after;
    try {
      after = change.of(r, r.key, r.value);
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
      hide(r, before);
      return;
    }
    if (change.isChange(before, after)) {
      show(r, before, after);
    }
  }

  /** A value on which the view fails is not in the view; the value before it is deleted. */
  private void hide(StreamRecord r, Object before) {
    if (before != null) {
      show(r, before, null);
    }
  }

  private void show(StreamRecord r, Object before, Object after) {
    StreamRecord viewed = r.change(before, after, r.timestamp);
    emitChange(r.isOutdated() ? viewed.outdated() : viewed);
  }

  /** The value in the view before; null if the view fails on the old value. */
  private Object before(StreamRecord r) {
    try {
      return change.of(r, r.key, r.old);
    } catch (Exception neverShown) {
      return null;
    }
  }

  @Override
  public ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    return shown(key, task.table(parent).stampedAsOf(keyBytes, key, order));
  }

  @Override
  public boolean isVersioned() {
    return task.table(parent).isVersioned();
  }

  @Override
  public ValueAndTimestamp stampedAt(byte[] keyBytes, Object key, byte[] order, long time) {
    return shown(key, task.table(parent).stampedAt(keyBytes, key, order, time));
  }

  private ValueAndTimestamp shown(Object key, ValueAndTimestamp under) {
    try {
      Object value = under == null ? null : change.of(null, key, under.value());
      return value == null ? null : new ValueAndTimestamp(value, under.timestamp());
    } catch (Exception failure) {
      throw new IllegalStateException("the table " + id() + " fails on the value of this key: " + FailureReasons.of(failure));
    }
  }

  /** The value of the view for a value of the table; null stays null. */
  static final class Change {
    private final Evaluator evaluator;
    private final ScopeRow scope;
    private final boolean filter;
    private final boolean versioned;

    Change(Task task, BoundExpressions bound, boolean filter, boolean versioned) {
      this.evaluator = bound.open();
      this.scope = new ScopeRow(2, bound.usesMeta(), task.program().topics());
      this.filter = filter;
      this.versioned = versioned;
    }

    /**
     * An entry that is outside of a filter before and after is no change, as in Kafka Streams; a mapping emits every update, and so does a
     * filter of a versioned table: another version may have been inside.
     */
    boolean isChange(Object before, Object after) {
      return !filter || versioned || before != null || after != null;
    }

    Object of(StreamRecord r, Object key, Object value) {
      if (value == null) {
        return null;
      }
      var row = scope.of(r, key, value);
      return filter ? (evaluator.test(row) ? value : null) : evaluator.value(row);
    }
  }
}
