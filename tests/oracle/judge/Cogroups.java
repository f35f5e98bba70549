package io.holdfast.judge;

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
      return aggregates.cogrouped(node, false).aggregate(aggregates.initial(fold), Stores.keyValue(node));
    }
    Map<String, Object> window = map(node.get("window"));
    switch ((String) window.get("kind")) {
      case "session":
        return aggregates.cogrouped(node, true).windowedBy(Windows.session(window))
            .aggregate(aggregates.initial(fold), aggregates.merger(fold), Stores.window(node));
      case "sliding":
        return aggregates.cogrouped(node, false).windowedBy(Windows.sliding(window))
            .aggregate(aggregates.initial(fold), Stores.window(node));
      default:
        return aggregates.cogrouped(node, true).windowedBy(Windows.time(window))
            .aggregate(aggregates.initial(fold), Stores.window(node));
    }
  }
}
