package io.holdfast.kernel.sink;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The marker of a sink partition and epoch, written in the transaction with the epoch's records: it says that they are written.
 *
 * @param query whose epochs are counted; another checkpoint has another query
 * @param digest of where the epoch ended in the sources; null if that is not known
 * @param ends changelog topic to partition to the offset after the last record of this sink partition
 */
record Marker(String query, long epoch, String digest, Map<String, Map<Integer, Long>> ends) {
  private static final ObjectMapper JSON = new ObjectMapper();

  byte[] bytes() {
    ObjectNode out = JSON.createObjectNode().put("query", query).put("epoch", epoch).put("digest", digest);
    ObjectNode offsets = out.putObject("offsets");
    ends.forEach((topic, partitions) -> {
      ObjectNode each = offsets.putObject(topic);
      partitions.forEach((partition, end) -> each.put(partition.toString(), end));
    });
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Offsets per topic and partition, out of their JSON. */
  static Map<String, Map<Integer, Long>> ends(String json) {
    try {
      return ends(JSON.readTree(json));
    } catch (IOException bad) {
      throw new IllegalArgumentException("not offsets: " + json, bad);
    }
  }

  private static Map<String, Map<Integer, Long>> ends(JsonNode offsets) {
    Map<String, Map<Integer, Long>> ends = new HashMap<>();
    offsets.fields().forEachRemaining(topic -> topic.getValue().fields().forEachRemaining(p ->
        ends.computeIfAbsent(topic.getKey(), t -> new HashMap<>()).put(Integer.parseInt(p.getKey()), p.getValue().asLong())));
    return ends;
  }

  /** Whether bytes are a marker, of this or a later version: they name a query. */
  static boolean is(byte[] bytes) {
    try {
      return bytes != null && JSON.readTree(bytes).path("query").isTextual();
    } catch (IOException notJson) {
      return false;
    }
  }

  static Marker of(byte[] bytes) {
    try {
      JsonNode read = JSON.readTree(bytes);
      if (!read.path("epoch").isIntegralNumber() || !read.path("offsets").isObject()) {
        throw new IllegalArgumentException("epoch and offsets were wanted");
      }
      return new Marker(read.get("query").asText(), read.get("epoch").asLong(), read.path("digest").asText(null), ends(read.get("offsets")));
    } catch (IOException bad) {
      throw new IllegalArgumentException(bad.getMessage(), bad);
    }
  }
}
