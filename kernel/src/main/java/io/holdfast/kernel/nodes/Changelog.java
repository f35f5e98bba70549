package io.holdfast.kernel.nodes;

import io.holdfast.kernel.serde.InnerKey;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.sink.OutputRow;
import io.holdfast.kernel.task.Spec;

/** Writes the topic that follows a named store. */
record Changelog(String topic, Serde key, Serde value, InnerKey inner) {
  /** The changelog of a node's store, or null if it has none. */
  static Changelog of(Spec node) {
    String topic = node.store().changelog();
    return topic == null ? null : new Changelog(topic, Serdes.defaultFor(node.key), Serdes.json(node.value), InnerKey.of(node.key));
  }

  /** One change; null deletes. */
  OutputRow row(Object changed, Object to, long timestamp) {
    OutputRow row = new OutputRow(topic, OutputRow.ANY, timestamp, key.encode(changed), value.encode(to), null, true);
    return inner == null ? row : row.beside(inner.bytes(changed));
  }
}
