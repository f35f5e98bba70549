package io.holdfast.kernel.nodes;

import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.serde.InnerKey;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.task.NodeSpec;

/** Makes the changelog records of a named store. */
public record Changelog(String topic, Serde key, Serde value, InnerKey inner) {
  /** The changelog of a node's store, or null if it has none. */
  public static Changelog of(NodeSpec node) {
    String topic = node.store().changelog();
    return topic == null ? null : new Changelog(
        topic, Serdes.defaultFor(node.storeKey()), Serdes.json(node.storeValue()), InnerKey.of(node.storeKey()));
  }

  /** One change; null deletes. */
  public OutputRow row(Object changed, Object to, long timestamp) {
    return document(changed, value.encode(to), timestamp);
  }

  /** One change, with the value as a JSON document; null deletes. */
  public OutputRow document(Object changed, byte[] json, long timestamp) {
    OutputRow row = new OutputRow(topic, OutputRow.ANY, timestamp, key.encode(changed), json, null, true);
    return inner == null ? row : row.inPartitionOf(inner.bytes(changed));
  }
}
