package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.expr.Widening;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.types.DataType;

/** The type of an aggregate's states: that of the initial state, widened until it holds what the functions return. */
record StateType(DataType first, DeclaredParts declared) {
  /** Nested records widen one after the other; a type that still grows after so many rounds never ends. */
  private static final int ROUNDS = 100;

  /** The widest type; `made` returns the result type of each function for states of a type. */
  DataType settled(Function<DataType, Map<String, DataType>> made) {
    DataType state = first;
    DataType before = first;
    for (int round = 0; round < ROUNDS; round++) {
      DataType next = state;
      for (Map.Entry<String, DataType> each : made.apply(state).entrySet()) {
        next = widened(each.getKey(), next, each.getValue());
      }
      next = round == 0 ? next : declared.kept(first, Widening.settled(state, next));
      if (next.equals(state)) {
        return state;
      }
      before = state;
      state = next;
    }
    throw new IllegalArgumentException("the type of the state grows with each record, from " + before.sql() + " to " + state.sql()
        + "; say what it is: F.cast(F.lit(...), \"...\") as the initial value, and F.cast(x, \"...\") in the function");
  }

  private DataType widened(String function, DataType state, DataType made) {
    DataType both = Widening.common(state, made);
    if (both == null) {
      Widening.Mismatch wrong = Widening.mismatch(made, state);
      throw new IllegalArgumentException(wrong.in() + function + " gives " + wrong.from().sql() + ", the state is " + wrong.to().sql()
          + "; no type holds both");
    }
    return declared.kept(first, both);
  }
}
