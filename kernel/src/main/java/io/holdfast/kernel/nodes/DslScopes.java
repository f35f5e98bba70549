package io.holdfast.kernel.nodes;

import io.holdfast.kernel.expr.Scope;
import org.apache.spark.sql.types.DataType;

/** The scopes that expressions of the DSL have. */
public final class DslScopes {
  private DslScopes() {}

  public static Scope record(DataType key, DataType value) {
    return Scope.of("key", key, "value", value);
  }

  public static Scope join(DataType key, DataType left, DataType right) {
    return Scope.of("left", left, "right", right, "key", key);
  }

  public static Scope reduce(DataType key, DataType value) {
    return Scope.of("old", value, "new", value, "key", key);
  }

  public static Scope aggregate(DataType key, DataType state, DataType value) {
    return Scope.of("state", state, "value", value, "key", key);
  }
}
