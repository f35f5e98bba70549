package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.kstream.Aggregator;

/** Our aggregates that Kafka Streams has not, as functions for its `aggregate`. */
final class Folds {
  private Folds() {}

  /** count, sum, min and max beside each other. */
  static Aggregator<Object, Object, Object> functions(List<Object> fields) {
    return (key, value, state) -> {
      Map<String, Object> out = new LinkedHashMap<>();
      for (Object each : fields) {
        String name = (String) list(each).get(0);
        Map<String, Object> call = map(list(each).get(1));
        Map<String, Object> arg = map(list(call.get("args")).get(0));
        Object came = arg.containsKey("star") ? (Object) 1L : Expr.eval(arg, Scope.record(key, value));
        out.put(name, folded((String) call.get("call"), map(state).get(name), came));
      }
      return out;
    };
  }

  private static Object folded(String function, Object old, Object came) {
    if (function.equals("count")) {
      return (old == null ? 0L : (Long) old) + (came == null ? 0 : 1);
    }
    if (old == null || came == null) {
      return old == null ? came : old;
    }
    switch (function) {
      case "sum":
        return (Long) old + (Long) came;
      case "min":
        return Calls.compare(came, old) < 0 ? came : old;
      case "max":
        return Calls.compare(came, old) > 0 ? came : old;
      default:
        throw new IllegalArgumentException("not in the judge's language: " + function);
    }
  }

  /** The n records that rank highest: rank all, drop repetitions, cut. */
  static Aggregator<Object, Object, Object> top(Map<String, Object> node) {
    int n = ((Long) node.get("n")).intValue();
    return (key, value, state) -> {
      List<Object> all = new ArrayList<>(list(state));
      all.add(value);
      all.sort(Comparator.comparing(v -> rank(node, key, v), Comparator.nullsLast(Comparator.reverseOrder())));
      Set<Object> seen = new HashSet<>();
      if (node.get("distinct") != null) {
        all.removeIf(v -> !seen.add(List.of(String.valueOf(Expr.eval(map(node.get("distinct")), Scope.record(key, v))))));
      }
      return new ArrayList<>(all.subList(0, Math.min(n, all.size())));
    };
  }

  private static Long rank(Map<String, Object> node, Object key, Object value) {
    return (Long) Expr.eval(map(node.get("by")), Scope.record(key, value));
  }
}
