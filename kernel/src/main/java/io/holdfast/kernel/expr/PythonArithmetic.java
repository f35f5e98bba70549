package io.holdfast.kernel.expr;

import java.math.BigDecimal;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.types.Decimal;

/** Python's `//` and `%`, called by generated code. */
public final class PythonArithmetic {
  private PythonArithmetic() {}

  public static long divide(long a, long b) {
    requireDivisor(b == 0);
    if (a == Long.MIN_VALUE && b == -1) {
      throw new ArithmeticException(a + " // " + b + " does not fit BIGINT");
    }
    return Math.floorDiv(a, b);
  }

  public static long remainder(long a, long b) {
    requireModulus(b == 0);
    return Math.floorMod(a, b);
  }

  /** As CPython does it, to the last bit. */
  public static double divide(double a, double b) {
    requireDivisor(b == 0);
    double rest = a % b;
    double quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
      quotient -= 1;
    }
    if (quotient == 0) {
      return Math.copySign(0.0, a / b);
    }
    double floor = Math.floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
  }

  public static double remainder(double a, double b) {
    requireModulus(b == 0);
    double rest = a % b;
    if (rest == 0) {
      return Math.copySign(0.0, b);
    }
    return (b < 0) != (rest < 0) ? rest + b : rest;
  }

  /** Python's decimals truncate towards zero, unlike its other numbers. */
  public static Decimal divide(Decimal a, Decimal b, int precision) {
    requireDivisor(b.isZero());
    BigDecimal quotient = a.toJavaBigDecimal().divideToIntegralValue(b.toJavaBigDecimal()).setScale(0);
    if (quotient.precision() > precision) {
      throw new ArithmeticException(a + " // " + b + " does not fit DECIMAL(" + precision + ",0)");
    }
    return Decimal.apply(quotient, precision, 0);
  }

  private static void requireDivisor(boolean zero) {
    if (zero) {
      throw QueryExecutionErrors.divideByZeroError(null);
    }
  }

  private static void requireModulus(boolean zero) {
    if (zero) {
      throw QueryExecutionErrors.remainderByZeroError(null);
    }
  }
}
