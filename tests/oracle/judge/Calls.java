package io.holdfast.judge;

import java.util.List;
import java.util.Objects;

/** Operators and functions over values. */
final class Calls {
  private Calls() {}

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
      default:
        return args.contains(null) ? null : strict(name, args);
    }
  }

  private static Object strict(String name, List<Object> args) {
    switch (name) {
      case "+":
        return Math.addExact(number(args, 0), number(args, 1));
      case "-":
        return Math.subtractExact(number(args, 0), number(args, 1));
      case "*":
        return Math.multiplyExact(number(args, 0), number(args, 1));
      case "%":
        return number(args, 0) % number(args, 1);
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
        throw new IllegalArgumentException("not in the judge's language: " + name);
    }
  }

  /** The order of two values of one type. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static int compare(Object a, Object b) {
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

  private static long number(List<Object> args, int i) {
    return (Long) args.get(i);
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
      default:
        throw new IllegalArgumentException("not in the judge's language: cast to " + to);
    }
  }
}
