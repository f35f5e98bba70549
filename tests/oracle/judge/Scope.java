package io.holdfast.judge;

import java.util.HashMap;
import java.util.Map;

/** The names that an expression may use. */
final class Scope {
  private Scope() {}

  static Map<String, Object> record(Object key, Object value) {
    return of("key", key, "value", value, "", null);
  }

  static Map<String, Object> of(String a, Object x, String b, Object y, String c, Object z) {
    Map<String, Object> slots = new HashMap<>();
    slots.put(a, x);
    slots.put(b, y);
    slots.put(c, z);
    return slots;
  }
}
