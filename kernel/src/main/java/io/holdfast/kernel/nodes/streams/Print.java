package io.holdfast.kernel.nodes.streams;

import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Prints records on the console and forwards them. */
public final class Print extends Node {
  /** Characters that JSON does not escape and a terminal would interpret: DEL, C1, marks of direction. */
  private static final Pattern UNSAFE = Pattern.compile("[\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]");
  private final String label;
  private final Serde key;
  private final Serde value;

  public Print(NodeSpec spec, String label) {
    super(spec.id);
    this.label = label;
    this.key = Serdes.json(spec.key);
    this.value = Serdes.json(spec.value);
  }

  @Override
  protected void process(StreamRecord r) {
    task.show("[" + label + "]: " + text(key, r.key) + ", " + text(value, r.value));
    emit(r);
  }

  private static String text(Serde serde, Object v) {
    String json = v == null ? "null" : new String(serde.encode(v), StandardCharsets.UTF_8);
    return UNSAFE.matcher(json).replaceAll(found -> String.format("\\\\u%04x", (int) found.group().charAt(0)));
  }
}
