package io.holdfast.kernel.expr;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** Replaces names by positions in the row. */
final class Binding {
  private Binding() {}

  static Expression bind(Expression e, List<Attribute> input) {
    return (Expression) e.transformUp(new Rewrite() {
      @Override
      protected Expression rewrite(Expression part) {
        return part instanceof AttributeReference a ? reference(a, input) : part;
      }
    });
  }

  private static Expression reference(AttributeReference a, List<Attribute> input) {
    for (int i = 0; i < input.size(); i++) {
      if (input.get(i).exprId().equals(a.exprId())) {
        return new BoundReference(i, input.get(i).dataType(), input.get(i).nullable());
      }
    }
    throw new IllegalStateException(a.name() + " is not in the row");
  }
}
