package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.util.Map;

/** Several streams in one aggregate. */
final class Cogroups {
  private final Aggregates aggregates;

  Cogroups(Aggregates aggregates) {
    this.aggregates = aggregates;
  }

  Object add(Map<String, Object> node) {
    Fold fold = new Folds.Expressions(node, Map.of());
    if (node.get("window") == null) {
      return aggregates.cogrouped(node, (group, i) -> group.named(name(node, i)))
          .aggregate(aggregates.initial(fold), Stores.keyValue(node));
    }
    Map<String, Object> window = map(node.get("window"));
    boolean oneTime = "final".equals(window.get("emit"));
    Retention retention = new Retention(window, oneTime ? 1 : list(node.get("inputs")).size());
    var grouped = aggregates.cogrouped(node, (group, i) -> group.watched(name(node, i), time -> retention.came(i, time)));
    switch ((String) window.get("kind")) {
      case "session":
        return grouped.windowedBy(Windows.session(window))
            .aggregate(aggregates.initial(fold), aggregates.merger(fold), Stores.window(node, retention));
      case "sliding":
        return grouped.windowedBy(Windows.sliding(window)).aggregate(aggregates.initial(fold), Stores.window(node, retention));
      default:
        return grouped.windowedBy(Windows.time(window)).aggregate(aggregates.initial(fold), Stores.window(node, retention));
    }
  }

  private static String name(Map<String, Object> node, int input) {
    return node.get("id") + "-" + input;
  }
}
