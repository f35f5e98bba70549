package io.holdfast.kernel.expr;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.EvalMode$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/** Counts and sums of whole numbers and decimals: the aggregate functions that can retract a row exactly. */
public final class Totals implements Serializable {
  private final List<Expression> inputs = new ArrayList<>();
  private final List<DataType> results = new ArrayList<>();
  private final List<Boolean> sums = new ArrayList<>();
  private final BoundAggregate aggregate;
  private final int slots;

  private Totals(BoundAggregate aggregate, int slots) {
    this.aggregate = aggregate;
    this.slots = slots;
  }

  /** The counts and sums of the functions, or null if there are others. */
  static Totals of(List<AggregateExpression> functions, Scope scope, BoundAggregate aggregate) {
    Totals out = new Totals(aggregate, scope.slots());
    for (AggregateExpression each : functions) {
      AggregateFunction f = each.aggregateFunction();
      if (!isExact(f)) {
        return null;
      }
      out.sums.add(f instanceof Sum);
      out.inputs.add(Compiler.bindTo(scope, input(f)));
      out.results.add(f.dataType());
    }
    return out;
  }

  private static boolean isExact(AggregateFunction f) {
    return f instanceof Count || f instanceof Sum s
        && (s.dataType() instanceof LongType || s.dataType() instanceof DecimalType)
        && s.evalContext().evalMode().equals(EvalMode$.MODULE$.ANSI());
  }

  /** What is summed, or whether the row counts. */
  private static Expression input(AggregateFunction f) {
    if (f instanceof Sum s) {
      return s.child();
    }
    Expression out = null;
    for (Expression child : ScalaCollections.list(f.children())) {
      Expression there = new IsNotNull(child);
      out = out == null ? there : new And(out, there);
    }
    return out;
  }

  public int size() {
    return inputs.size();
  }

  public boolean isSum(int i) {
    return sums.get(i);
  }

  /** The input of each function, over the scope of a record. */
  public BoundExpressions inputs() {
    return new BoundExpressions(slots, inputs);
  }

  /** A summed value as a number of the smallest unit. */
  public BigInteger units(int i, Object value) {
    if (inputs.get(i).dataType() instanceof IntegralType) {
      return BigInteger.valueOf(((Number) value).longValue());
    }
    return ((Decimal) value).toJavaBigDecimal().setScale(scale(i)).unscaledValue();
  }

  /** A sum as Spark has it; fails if it does not fit the type. */
  public Object result(int i, BigInteger units) {
    if (results.get(i) instanceof DecimalType type) {
      BigDecimal sum = new BigDecimal(units, scale(i));
      if (sum.precision() > type.precision()) {
        throw new ArithmeticException("the sum " + sum + " does not fit " + type.sql());
      }
      return Decimal.apply(sum, type.precision(), type.scale());
    }
    if (units.bitLength() > 63) {
      throw new ArithmeticException("the sum " + units + " does not fit BIGINT");
    }
    return units.longValue();
  }

  /** Nothing, as the result of a count or a sum. */
  static Object zero(DataType type) {
    if (type instanceof DecimalType d) {
      return Decimal.apply(BigDecimal.ZERO.setScale(d.scale()), d.precision(), d.scale());
    }
    if (type instanceof DoubleType) {
      return 0.0;
    }
    return type instanceof YearMonthIntervalType ? (Object) 0 : (Object) 0L;
  }

  private int scale(int i) {
    return ((DecimalType) results.get(i)).scale();
  }

  public BoundAggregate aggregate() {
    return aggregate;
  }
}
