package io.holdfast.kernel.expr;

import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.runtime.AbstractPartialFunction;

/** A rewrite rule for expression trees, written in Java. */
abstract class Rewrite extends AbstractPartialFunction<Expression, Expression> {
  protected abstract Expression rewrite(Expression e);

  @Override
  public Expression apply(Expression e) {
    return rewrite(e);
  }

  @Override
  public boolean isDefinedAt(Expression e) {
    return true;
  }

  @Override
  public <A1 extends Expression, B1> B1 applyOrElse(A1 e, scala.Function1<A1, B1> otherwise) {
    @SuppressWarnings("unchecked")
    B1 result = (B1) rewrite(e);
    return result;
  }
}
