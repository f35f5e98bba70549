package io.holdfast.kernel.expr;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;

/** An implicit cast to a declared type, by the names of fields, if no information can be lost. */
final class DeclaredCast extends DeferredExpression {
  private final DataType type;
  private final String target;

  /** `target` names what has the type: "the state". */
  DeclaredCast(Expression child, DataType type, String target) {
    super(List.of(child));
    this.type = type;
    this.target = target;
  }

  @Override
  Expression evaluable() {
    Widening.Mismatch wrong = Widening.mismatch(part(0).dataType(), type);
    if (wrong != null) {
      throw new IllegalArgumentException(wrong.in() + wrong.from().sql() + " came, " + target + " is " + wrong.to().sql()
          + ", which cannot hold it; declare a type that can, or write F.cast(x, \"" + wrong.to().simpleString() + "\")");
    }
    return Conversion.of(part(0), type);
  }

  @Override
  DeferredExpression with(List<Expression> other) {
    return new DeclaredCast(other.get(0), type, target);
  }

  @Override
  public DataType dataType() {
    return type;
  }
}
