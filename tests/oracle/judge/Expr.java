package io.holdfast.judge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.kstream.Windowed;

/** The part of the expression language that the generated programs use, with SQL's nulls. */
final class Expr {
  private Expr() {}

  /** The value of an expression; `slots` are the names it may use: key and value, left and right … */
  static Object eval(Map<String, Object> e, Map<String, Object> slots) {
    if (e.containsKey("slot")) {
      return field(slots.get((String) e.get("slot")), list(e.get("path")));
    }
    if (e.containsKey("lit")) {
      return Numbers.literal(e.get("lit"), e.get("type"));
    }
    if (e.containsKey("call")) {
      return call(e, slots);
    }
    if (e.containsKey("case")) {
      return firstCase(e, slots);
    }
    if (e.containsKey("struct")) {
      return record(list(e.get("struct")), slots);
    }
    if (e.containsKey("array")) {
      return all(list(e.get("array")), slots);
    }
    if (e.containsKey("cast")) {
      return Calls.cast(eval(map(e.get("cast")), slots), (String) e.get("to"));
    }
    if (e.containsKey("get")) {
      return item(eval(map(e.get("get")), slots), eval(map(e.get("key")), slots));
    }
    if (e.containsKey("meta")) {
      return slots.get("meta " + e.get("meta"));
    }
    throw new UnsupportedOperationException("not in the judge's language: " + e);
  }

  /** Only true is true. */
  static boolean test(Map<String, Object> e, Map<String, Object> slots) {
    return Boolean.TRUE.equals(eval(e, slots));
  }

  private static Object field(Object value, List<Object> path) {
    for (Object name : path) {
      value = value instanceof Windowed<?> w ? windowField(w, (String) name)
          : value == null ? null : map(value).get((String) name);
    }
    return value;
  }

  private static Object windowField(Windowed<?> key, String name) {
    switch (name) {
      case "key":
        return key.key();
      case "start":
        return key.window().start();
      default:
        return key.window().end();
    }
  }

  private static Object call(Map<String, Object> e, Map<String, Object> slots) {
    String name = (String) e.get("call");
    List<Object> values = new ArrayList<>();
    for (Object arg : list(e.get("args"))) {
      values.add(eval(map(arg), slots));
      if (Calls.decided(name, values.get(values.size() - 1))) {
        return values.get(values.size() - 1);
      }
    }
    return Calls.call(name, values);
  }

  private static Object firstCase(Map<String, Object> e, Map<String, Object> slots) {
    for (Object each : list(e.get("case"))) {
      List<Object> pair = list(each);
      if (test(map(pair.get(0)), slots)) {
        return eval(map(pair.get(1)), slots);
      }
    }
    return e.get("else") == null ? null : eval(map(e.get("else")), slots);
  }

  private static Object record(List<Object> fields, Map<String, Object> slots) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Object each : fields) {
      List<Object> field = list(each);
      out.put((String) field.get(0), eval(map(field.get(1)), slots));
    }
    return out;
  }

  private static List<Object> all(List<Object> parts, Map<String, Object> slots) {
    List<Object> out = new ArrayList<>();
    parts.forEach(part -> out.add(eval(map(part), slots)));
    return out;
  }

  private static Object item(Object of, Object key) {
    if (of == null || key == null) {
      return null;
    }
    return of instanceof List<?> items ? items.get(((Long) key).intValue()) : map(of).get((String) key);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object json) {
    return (Map<String, Object>) json;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object json) {
    return (List<Object>) json;
  }
}
