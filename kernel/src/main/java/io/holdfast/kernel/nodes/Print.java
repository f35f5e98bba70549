package io.holdfast.kernel.nodes;

import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Spec;
import java.nio.charset.StandardCharsets;

/** Shows records on the console and passes them on. */
public final class Print extends Node {
  private final String label;
  private final Serde key;
  private final Serde value;

  public Print(Spec spec, String label) {
    super(spec.id);
    this.label = label;
    this.key = Serdes.json(spec.key);
    this.value = Serdes.json(spec.value);
  }

  @Override
  protected void process(Rec r) {
    task.show("[" + label + "]: " + text(key, r.key) + ", " + text(value, r.value));
    emit(r);
  }

  private static String text(Serde serde, Object v) {
    return v == null ? "null" : new String(serde.encode(v), StandardCharsets.UTF_8);
  }
}
