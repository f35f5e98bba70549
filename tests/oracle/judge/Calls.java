package io.holdfast.judge;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Operators and functions over values. */
final class Calls {
  private static final Pattern DECIMAL = Pattern.compile("decimal\\(\\d+,(\\d+)\\)");

  private Calls() {}

  /** Whether an argument decides the result, so that the next ones are not looked at and cannot fail. */
  static boolean decided(String name, Object value) {
    switch (name) {
      case "and":
        return Boolean.FALSE.equals(value);
      case "or":
        return Boolean.TRUE.equals(value);
      case "coalesce":
        return value != null;
      case "concat", "map", "isnull", "isnotnull":
        return false;
      default:
        return value == null;
    }
  }

  static Object call(String name, List<Object> args) {
    switch (name) {
      case "and":
        return and(args.get(0), args.get(1));
      case "or":
        return not(and(not(args.get(0)), not(args.get(1))));
      case "not":
        return not(args.get(0));
      case "isnull":
        return args.get(0) == null;
      case "isnotnull":
        return args.get(0) != null;
      case "coalesce":
        return args.stream().filter(Objects::nonNull).findFirst().orElse(null);
      case "map":
        return pairs(args);
      default:
        return args.contains(null) ? null : strict(name, args);
    }
  }

  private static Map<String, Object> pairs(List<Object> args) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (int i = 0; i < args.size(); i += 2) {
      out.put((String) args.get(i), args.get(i + 1));
    }
    return out;
  }

  private static Object strict(String name, List<Object> args) {
    switch (name) {
      case "+":
        return Numbers.add(args.get(0), args.get(1));
      case "-":
        return Numbers.subtract(args.get(0), args.get(1));
      case "*":
        return Numbers.multiply(args.get(0), args.get(1));
      case "/":
        return Numbers.divide(args.get(0), args.get(1));
      case "floor_div":
        return Numbers.floorDiv(args.get(0), args.get(1));
      case "floor_mod":
        return Numbers.floorMod(args.get(0), args.get(1));
      case "element_at":
        return ((Map<?, ?>) args.get(0)).get(args.get(1));
      case "unix_millis":
        return args.get(0);
      case "concat":
        return args.stream().map(Object::toString).reduce("", String::concat);
      case "upper":
        return args.get(0).toString().toUpperCase(java.util.Locale.ROOT);
      default:
        return compared(name, compare(args.get(0), args.get(1)));
    }
  }

  private static boolean compared(String name, int order) {
    switch (name) {
      case "=":
        return order == 0;
      case "!=":
        return order != 0;
      case "<":
        return order < 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      case ">=":
        return order >= 0;
      default:
        throw new UnsupportedOperationException("not in the judge's language: " + name);
    }
  }

  /** The order of two values of one type. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static int compare(Object a, Object b) {
    if (a instanceof Number x && b instanceof Number y && a.getClass() != b.getClass()) {
      return Numbers.compare(x, y);
    }
    return ((Comparable) a).compareTo(b);
  }

  private static Object and(Object a, Object b) {
    if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
      return false;
    }
    return a == null || b == null ? null : (Object) true;
  }

  private static Object not(Object a) {
    return a == null ? null : (Object) !((Boolean) a);
  }

  static Object cast(Object value, String to) {
    if (value == null) {
      return null;
    }
    switch (to) {
      case "string":
        return value.toString();
      case "long":
        return value instanceof Boolean b ? (b ? 1L : 0L) : Long.parseLong(value.toString().trim());
      case "double":
        return Double.parseDouble(value.toString().trim());
      default:
        return decimal(value, to);
    }
  }

  private static Object decimal(Object value, String to) {
    Matcher type = DECIMAL.matcher(to);
    if (!type.matches()) {
      throw new UnsupportedOperationException("not in the judge's language: cast to " + to);
    }
    return new BigDecimal(value.toString().trim()).setScale(Integer.parseInt(type.group(1)), RoundingMode.HALF_UP);
  }
}
