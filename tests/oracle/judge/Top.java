package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The n records that rank highest: rank all, drop repetitions, cut. */
record Top(Map<String, Object> node) implements Fold {
  @Override
  public Object initial() {
    return List.of();
  }

  @Override
  public Object add(Object key, Object value, Object state) {
    List<Object> all = new ArrayList<>(list(state));
    all.add(value);
    return best(key, all);
  }

  @Override
  public Object merge(Object key, Object earlier, Object later) {
    List<Object> all = new ArrayList<>(list(earlier));
    all.addAll(list(later));
    return best(key, all);
  }

  /** The best of all, the earlier first among equals. */
  List<Object> best(Object key, List<Object> all) {
    all.sort(Comparator.comparing(v -> rank(key, v), Comparator.nullsLast((a, b) -> Calls.compare(b, a))));
    Set<Object> seen = new HashSet<>();
    if (node.get("distinct") != null) {
      all.removeIf(v -> !seen.add(List.of(String.valueOf(Expr.eval(map(node.get("distinct")), Scope.record(key, v))))));
    }
    return new ArrayList<>(all.subList(0, Math.min(((Long) node.get("n")).intValue(), all.size())));
  }

  private Object rank(Object key, Object value) {
    return Expr.eval(map(node.get("by")), Scope.record(key, value));
  }
}
