package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** count, sum, min, max and avg beside each other; the state of an average is its sum and its count. */
record Functions(List<Object> fields) implements Fold {
  @Override
  public Object initial() {
    return Map.of();
  }

  @Override
  public Object add(Object key, Object value, Object state) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Object each : fields) {
      String name = (String) list(each).get(0);
      Map<String, Object> call = map(list(each).get(1));
      Map<String, Object> arg = map(list(call.get("args")).get(0));
      Object came = arg.containsKey("star") ? (Object) 1L : Expr.eval(arg, Scope.record(key, value));
      out.put(name, folded((String) call.get("call"), map(state).get(name), came));
    }
    return out;
  }

  private static Object folded(String function, Object old, Object came) {
    switch (function) {
      case "count":
        return (old == null ? 0L : (Long) old) + (came == null ? 0 : 1);
      case "avg":
        return came == null ? old : joined("avg", old, Arrays.asList(((Number) came).doubleValue(), 1L));
      default:
        return joined(function, old, came);
    }
  }

  /** One partial result of two. */
  private static Object joined(String function, Object a, Object b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    switch (function) {
      case "count":
        return (Long) a + (Long) b;
      case "sum":
        return Calls.call("+", Arrays.asList(a, b));
      case "min":
        return Calls.compare(b, a) < 0 ? b : a;
      case "max":
        return Calls.compare(b, a) > 0 ? b : a;
      case "avg":
        return Arrays.asList((Double) list(a).get(0) + (Double) list(b).get(0), (Long) list(a).get(1) + (Long) list(b).get(1));
      default:
        throw new UnsupportedOperationException("not in the judge's language: " + function);
    }
  }

  @Override
  public Object merge(Object key, Object earlier, Object later) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Object each : fields) {
      String name = (String) list(each).get(0);
      out.put(name, joined(function(each), map(earlier).get(name), map(later).get(name)));
    }
    return out;
  }

  @Override
  public boolean hidden() {
    return fields.stream().anyMatch(each -> function(each).equals("avg"));
  }

  @Override
  public Object shown(Object state) {
    if (state == null) {
      return null;
    }
    Map<String, Object> out = new LinkedHashMap<>(map(state));
    out.replaceAll((name, part) -> part instanceof List<?> avg ? (Double) avg.get(0) / (Long) avg.get(1) : part);
    return out;
  }

  /** What a group that has lost its last row shows: counts and sums are 0; if there is anything else, nothing. */
  Object ofNothing() {
    Map<String, Object> out = new LinkedHashMap<>();
    fields.forEach(each -> out.put((String) list(each).get(0), 0L));
    return fields.stream().allMatch(each -> List.of("count", "sum").contains(function(each))) ? out : null;
  }

  private static String function(Object field) {
    return (String) map(list(field).get(1)).get("call");
  }
}
