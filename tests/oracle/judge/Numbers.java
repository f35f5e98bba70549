package io.holdfast.judge;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Arithmetic as SQL's: whole numbers, decimals and doubles; of two kinds the wider. */
final class Numbers {
  private Numbers() {}

  static Object add(Object a, Object b) {
    return whole(a, b) ? (Object) Math.addExact((Long) a, (Long) b)
        : exact(a, b) ? (Object) decimal(a).add(decimal(b)) : (Object) (real(a) + real(b));
  }

  static Object subtract(Object a, Object b) {
    return whole(a, b) ? (Object) Math.subtractExact((Long) a, (Long) b)
        : exact(a, b) ? (Object) decimal(a).subtract(decimal(b)) : (Object) (real(a) - real(b));
  }

  static Object multiply(Object a, Object b) {
    return whole(a, b) ? (Object) Math.multiplyExact((Long) a, (Long) b)
        : exact(a, b) ? (Object) decimal(a).multiply(decimal(b)) : (Object) (real(a) * real(b));
  }

  /** As Spark's: a number over nothing is a failure, whatever the types. */
  static Object divide(Object a, Object b) {
    return real(a) / real(nonzero(b));
  }

  /** Python's `//`: downwards, of decimals towards zero. */
  static Object floorDiv(Object a, Object b) {
    nonzero(b);
    if (whole(a, b)) {
      return Math.floorDiv((Long) a, (Long) b);
    }
    return exact(a, b) ? (Object) decimal(a).divideToIntegralValue(decimal(b)) : (Object) floorDiv(real(a), real(b));
  }

  private static double floorDiv(double a, double b) {
    double rest = a % b;
    double quotient = (a - rest) / b - (rest != 0 && rest < 0 != b < 0 ? 1 : 0);
    double floor = Math.floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
  }

  /** Python's `%`: the sign is that of the divisor, of decimals that of the dividend. */
  static Object floorMod(Object a, Object b) {
    nonzero(b);
    if (whole(a, b)) {
      return Math.floorMod((Long) a, (Long) b);
    }
    if (exact(a, b)) {
      return decimal(a).remainder(decimal(b));
    }
    double rest = real(a) % real(b);
    return rest != 0 && rest < 0 != real(b) < 0 ? rest + real(b) : rest;
  }

  static int compare(Object a, Object b) {
    return exact(a, b) ? decimal(a).compareTo(decimal(b)) : Double.compare(real(a), real(b));
  }

  /** A literal of a topology, whose decimals are texts. */
  static Object literal(Object value, Object type) {
    if (value == null || type == null) {
      return value;
    }
    if (type instanceof String name) {
      return name.startsWith("decimal") ? Calls.cast(value, name) : value;
    }
    return value instanceof Map<?, ?> ? record(Expr.map(value), Expr.list(Expr.map(type).get("fields"))) : value;
  }

  private static Object record(Map<String, Object> value, List<Object> fields) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Object each : fields) {
      String name = (String) Expr.map(each).get("name");
      out.put(name, literal(value.get(name), Expr.map(each).get("type")));
    }
    return out;
  }

  private static boolean whole(Object a, Object b) {
    return a instanceof Long && b instanceof Long;
  }

  private static boolean exact(Object a, Object b) {
    return !(a instanceof Double || b instanceof Double);
  }

  private static Object nonzero(Object b) {
    if (real(b) == 0) {
      throw new ArithmeticException("division by zero");
    }
    return b;
  }

  static BigDecimal decimal(Object a) {
    return a instanceof BigDecimal exact ? exact : BigDecimal.valueOf((Long) a);
  }

  static double real(Object a) {
    return ((Number) a).doubleValue();
  }
}
