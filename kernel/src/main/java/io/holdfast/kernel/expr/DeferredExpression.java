package io.holdfast.kernel.expr;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** An expression of Holdfast's, which depends on types that only Spark's analyser finds: it is replaced by one of Spark's when they are known. */
abstract class DeferredExpression extends Expression {
  private final List<Expression> parts;

  DeferredExpression(List<Expression> parts) {
    this.parts = List.copyOf(parts);
  }

  /** The expression to evaluate; called when the types of the parts are known. */
  abstract Expression evaluable();

  /** The same with other parts. */
  abstract DeferredExpression with(List<Expression> other);

  Expression part(int i) {
    return parts.get(i);
  }

  @Override
  public Seq<Expression> children() {
    return ScalaCollections.seq(parts);
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
    return with(ScalaCollections.list(children));
  }

  @Override
  public boolean nullable() {
    return true;
  }

  @Override
  public Object eval(InternalRow row) {
    throw new IllegalStateException(this + " is not evaluable");
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    throw new IllegalStateException(this + " is not evaluable");
  }

  @Override
  public int productArity() {
    return parts.size();
  }

  @Override
  public Object productElement(int i) {
    return parts.get(i);
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof DeferredExpression;
  }
}
