package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.streams.kstream.Reducer;

/** A fold that keeps every value, so that any can be taken back; what is shown is made of all of them. */
record Kept(Function<List<Object>, Object> made, Object ofNothing) implements Fold {
  static Fold functions(List<Object> fields) {
    Functions functions = new Functions(fields);
    return new Kept(values -> {
      Object state = functions.initial();
      for (Object value : values) {
        state = functions.add(null, value, state);
      }
      return functions.shown(state);
    }, functions.ofNothing());
  }

  static Fold reduce(Reducer<Object> reducer) {
    return new Kept(values -> {
      Object state = null;
      for (Object value : values) {
        state = state == null ? value : reducer.apply(state, value);
      }
      return state;
    }, null);
  }

  /** Without a function that takes back, the values of the group are folded again. */
  static Fold folded(Fold fold) {
    return new Kept(values -> {
      Object state = fold.initial();
      for (Object value : values) {
        state = fold.add(null, value, state == null ? fold.initial() : state);
      }
      return state;
    }, null);
  }

  static Fold top(Top top) {
    return new Kept(values -> top.best(null, new ArrayList<>(values)), null);
  }

  @Override
  public Object initial() {
    return List.of();
  }

  @Override
  public Object add(Object key, Object value, Object state) {
    List<Object> all = new ArrayList<>(list(state));
    all.add(value);
    return all;
  }

  @Override
  public Object subtract(Object key, Object value, Object state) {
    List<Object> all = new ArrayList<>(list(state));
    all.remove(value);
    // A group that is deleted is new when it comes again: it has the time of the record that brings it.
    return all.isEmpty() && ofNothing == null ? null : all;
  }

  @Override
  public boolean hidden() {
    return true;
  }

  @Override
  public Object shown(Object state) {
    if (state == null || list(state).isEmpty()) {
      return state == null ? null : ofNothing;
    }
    return made.apply(list(state));
  }
}
