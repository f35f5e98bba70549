package io.holdfast.judge;

import static io.holdfast.judge.Expr.map;

import java.util.Map;
import java.util.function.BiFunction;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;

/** Aggregates of the windows of a stream. */
final class WindowedAggregates {
  private final Aggregates aggregates;
  private final boolean literally;

  WindowedAggregates(Aggregates aggregates, boolean literally) {
    this.aggregates = aggregates;
    this.literally = literally;
  }

  Object add(Map<String, Object> node, Grouping group) {
    if (node.get("late") == null) {
      return add(node, group, Folds::of);
    }
    Map<String, Object> window = map(node.get("window"));
    Late late = new Late(node, group.repartitioned(), window.get("size") == null ? null : Windows.time(window));
    return add(node, group.with(late.stream()), (n, retracts) -> late.counted(Folds.of(n, retracts)));
  }

  private Object add(Map<String, Object> node, Grouping group, BiFunction<Map<String, Object>, Boolean, Fold> folds) {
    Map<String, Object> window = map(node.get("window"));
    switch ((String) window.get("kind")) {
      case "session":
        return ofSessions(
            node, group.withoutNulls().windowedBy(Windows.session(window)).emitStrategy(Windows.emit(window)), folds);
      case "sliding":
        return ofTime(node, group.plain().windowedBy(Windows.sliding(window)).emitStrategy(Windows.emit(window)), folds);
      case "tumbling", "hopping":
        return ofTime(
            node, group.withoutNulls().windowedBy(Windows.time(window)).emitStrategy(Windows.emit(window)), folds);
      default:
        throw new UnsupportedOperationException("not in the judge's language: " + window);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Object ofTime(Map<String, Object> node, TimeWindowedKStream<Object, Object> windows,
      BiFunction<Map<String, Object>, Boolean, Fold> folds) {
    if (node.get("op").equals("reduce")) {
      return windows.reduce(Aggregates.reducer(node, "f"), Stores.window(node));
    }
    if (literally && node.get("late") == null && node.get("op").equals("count")) {
      return windows.count((Materialized) Stores.window(node));
    }
    Fold fold = folds.apply(node, false);
    return aggregates.shown(node, fold,
        windows.aggregate(aggregates.initial(fold), aggregates.adder(fold), aggregates.inner(node, fold)));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Object ofSessions(Map<String, Object> node, SessionWindowedKStream<Object, Object> sessions,
      BiFunction<Map<String, Object>, Boolean, Fold> folds) {
    if (node.get("op").equals("reduce")) {
      return sessions.reduce(Aggregates.reducer(node, "f"), Stores.window(node));
    }
    if (literally && node.get("late") == null && node.get("op").equals("count")) {
      return sessions.count((Materialized) Stores.window(node));
    }
    Fold fold = folds.apply(node, false);
    return aggregates.shown(node, fold, sessions.aggregate(
        aggregates.initial(fold), aggregates.adder(fold), aggregates.merger(fold), aggregates.inner(node, fold)));
  }
}
