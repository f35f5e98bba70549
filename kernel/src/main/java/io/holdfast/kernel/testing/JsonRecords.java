package io.holdfast.kernel.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.records.RawRecord;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Records as JSON, with bytes in base64, as tests give and get them. */
final class JsonRecords {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonRecords() {}

  /** The next record of its partition. */
  static RawRecord raw(JsonNode r, Map<String, Long> offsets) {
    String topic = r.get("topic").asText();
    int partition = r.path("partition").asInt(0);
    long offset = offsets.merge(topic + "/" + partition, 1L, Long::sum) - 1;
    RawHeader[] headers = null;
    if (r.path("headers").size() > 0) {
      List<RawHeader> list = new ArrayList<>();
      r.get("headers").forEach(h -> list.add(new RawHeader(h.get(0).asText(), bytes(h.get(1)))));
      headers = list.toArray(new RawHeader[0]);
    }
    return new RawRecord(
        topic, partition, offset, r.get("timestamp").asLong(), bytes(r.get("key")), bytes(r.get("value")), headers);
  }

  static ObjectNode json(OutputRow row) {
    ObjectNode o = JSON.createObjectNode().put("topic", row.topic).put("timestamp", row.timestamp);
    o.put("key", base64(row.key)).put("value", base64(row.value));
    ArrayNode headers = o.putArray("headers");
    for (RawHeader h : row.headers == null ? new RawHeader[0] : row.headers) {
      headers.addArray().add(h.name()).add(base64(h.value()));
    }
    return o;
  }

  private static byte[] bytes(JsonNode base64) {
    return base64 == null || base64.isNull() ? null : Base64.getDecoder().decode(base64.asText());
  }

  private static String base64(byte[] bytes) {
    return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
  }
}
