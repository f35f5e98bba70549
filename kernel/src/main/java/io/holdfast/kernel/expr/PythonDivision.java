package io.holdfast.kernel.expr;

import java.util.List;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;
import org.apache.spark.sql.catalyst.expressions.Remainder;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType$;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FractionalType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import scala.Option;

/** Python's `//` or `%`; Spark's truncate towards zero. */
final class PythonDivision extends DeferredExpression {
  static final String QUOTIENT = "floor_div";
  static final String REMAINDER = "floor_mod";
  private static final int DIGITS = 38;
  private final boolean quotient;

  PythonDivision(Expression left, Expression right, boolean quotient) {
    super(List.of(left, right));
    this.quotient = quotient;
  }

  static boolean is(String function) {
    return function.equals(QUOTIENT) || function.equals(REMAINDER);
  }

  @Override
  Expression evaluable() {
    DataType both = common();
    if (both instanceof DecimalType) {
      return quotient ? decimals() : remainder();
    }
    DataType wide = both instanceof IntegralType ? DataTypes.LongType : DataTypes.DoubleType;
    return as(call(wide, as(part(0), wide), as(part(1), wide)), dataType());
  }

  private Expression decimals() {
    DecimalType type = (DecimalType) dataType();
    return call(type, decimal(0), decimal(1), new Literal(type.precision(), DataTypes.IntegerType));
  }

  /** Python's decimals have the sign of the first, as Spark's have. */
  private Expression remainder() {
    return new Remainder(decimal(0), decimal(1), new NumericEvalContext(EvalMode.ANSI(), true));
  }

  private Expression decimal(int i) {
    return as(part(i), decimalType(i));
  }

  private DecimalType decimalType(int i) {
    return part(i).dataType() instanceof DecimalType d ? d : DecimalType$.MODULE$.forType(number(i));
  }

  private Expression call(DataType type, Expression... arguments) {
    return new StaticInvoke(PythonArithmetic.class, type, quotient ? "divide" : "remainder", ScalaCollections.seq(arguments), ScalaCollections.seq(),
        true, false, true, Option.empty());
  }

  private static Expression as(Expression e, DataType type) {
    return e.dataType().equals(type) ? e : new Cast(e, type, Option.apply("UTC"), EvalMode.ANSI());
  }

  @Override
  DeferredExpression with(List<Expression> other) {
    return new PythonDivision(other.get(0), other.get(1), quotient);
  }

  /** An untyped null is a number here; the result is null. */
  private DataType number(int i) {
    return part(i).dataType() instanceof NullType ? DataTypes.LongType : part(i).dataType();
  }

  private DataType common() {
    return Widening.common(number(0), number(1));
  }

  @Override
  public DataType dataType() {
    DataType both = common();
    if (both instanceof DecimalType) {
      return quotient ? quotientType(decimalType(0), decimalType(1)) : remainder().dataType();
    }
    if (!quotient) {
      return both;
    }
    return both instanceof FractionalType ? DataTypes.DoubleType : DataTypes.LongType;
  }

  private static DecimalType quotientType(DecimalType left, DecimalType right) {
    return new DecimalType(Math.min(DIGITS, left.precision() - left.scale() + right.scale() + 1), 0);
  }

  @Override
  public TypeCheckResult checkInputDataTypes() {
    for (int i = 0; i < 2; i++) {
      if (!(number(i) instanceof NumericType)) {
        throw new IllegalArgumentException(
            (quotient ? "//" : "%") + " is for numbers, " + part(i).dataType().sql() + " came");
      }
    }
    return super.checkInputDataTypes();
  }

  @Override
  public String toString() {
    return part(0) + (quotient ? " // " : " % ") + part(1);
  }
}
