package io.holdfast.judge;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.header.Headers;

/** The names that an expression may use. */
final class Scope {
  private Scope() {}

  static Map<String, Object> record(Object key, Object value) {
    return of("key", key, "value", value, "", null);
  }

  /** A record with what is known about it besides key and value. */
  static Map<String, Object> record(Object key, Object value, long timestamp, Headers headers, String topic) {
    Map<String, Object> slots = record(key, value);
    slots.put("meta timestamp", timestamp);
    slots.put("meta headers", texts(headers));
    slots.put("meta topic", topic);
    return slots;
  }

  /** Headers by name; the last of a name counts. */
  static Map<String, Object> texts(Headers headers) {
    Map<String, Object> out = new LinkedHashMap<>();
    headers.forEach(h -> out.put(h.key(), h.value() == null ? null : new String(h.value(), StandardCharsets.UTF_8)));
    return out;
  }

  static Map<String, Object> of(String a, Object x, String b, Object y, String c, Object z) {
    Map<String, Object> slots = new HashMap<>();
    slots.put(a, x);
    slots.put(b, y);
    slots.put(c, z);
    return slots;
  }
}
