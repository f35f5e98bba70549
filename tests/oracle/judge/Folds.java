package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.Map;

/** The folds of our nodes. */
final class Folds {
  private Folds() {}

  /** The fold of an aggregate; one that `retracts` can take back whatever was added. */
  static Fold of(Map<String, Object> node, boolean retracts) {
    switch ((String) node.get("op")) {
      case "count":
        return new Count();
      case "aggregate":
        Fold own = new Expressions(node, map(node.get("add")));
        return retracts && node.get("subtract") == null ? Kept.folded(own) : own;
      case "agg":
        return retracts ? Kept.functions(list(node.get("fields"))) : new Functions(list(node.get("fields")));
      case "top":
        return retracts ? Kept.top(new Top(node)) : new Top(node);
      default:
        throw new UnsupportedOperationException("not in the judge's language: " + node);
    }
  }

  private record Count() implements Fold {
    @Override
    public Object initial() {
      return 0L;
    }

    @Override
    public Object add(Object key, Object value, Object state) {
      return (Long) state + 1;
    }

    @Override
    public Object subtract(Object key, Object value, Object state) {
      return (Long) state - 1;
    }

    @Override
    public Object merge(Object key, Object earlier, Object later) {
      return (Long) earlier + (Long) later;
    }
  }

  /** The user's own expressions; in a cogroup each input has its own `add`. */
  record Expressions(Map<String, Object> node, Map<String, Object> add) implements Fold {
    @Override
    public Object initial() {
      return Expr.eval(map(node.get("initial")), Map.of());
    }

    @Override
    public Object add(Object key, Object value, Object state) {
      return Expr.eval(add, Scope.of("state", state, "value", value, "key", key));
    }

    @Override
    public Object subtract(Object key, Object value, Object state) {
      return Expr.eval(map(node.get("subtract")), Scope.of("state", state, "value", value, "key", key));
    }

    @Override
    public Object merge(Object key, Object earlier, Object later) {
      return Expr.eval(map(node.get("merge")), Scope.of("left", earlier, "right", later, "key", key));
    }
  }
}
