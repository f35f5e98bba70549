package io.holdfast.kernel.plan;

import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.expr.Scope;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** The value of an expression that depends on nothing. */
final class Constants {
  private Constants() {}

  static Object of(Bound bound) {
    return bound.open().value(new GenericInternalRow(Scope.META_NAMES.size()));
  }
}
