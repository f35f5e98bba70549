package io.holdfast.kernel.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.connector.read.streaming.Offset;

/**
 * Offsets of Kafka's and, because a repeated batch must hear the same, for how long topics had been silent, and what the clock said.
 *
 * <p>In JSON: {"topic": {"0": 12}, "#silence": {"topic": 5000}, "#clock": {"now": 1700000000000}}.
 */
final class TickOffset extends Offset {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SILENCE = "#silence";
  private static final String CLOCK = "#clock";
  final String kafka;
  final Map<String, Long> silence;
  /** The clock's time, 0 if the batch does not ask for it. */
  final long now;

  TickOffset(String kafka, Map<String, Long> silence, long now) {
    this.kafka = kafka;
    this.silence = silence;
    this.now = now;
  }

  static TickOffset of(String json) {
    ObjectNode all = object(json);
    Map<String, Long> silence = new TreeMap<>();
    JsonNode told = all.remove(SILENCE);
    JsonNode clock = all.remove(CLOCK);
    if (told != null) {
      told.fields().forEachRemaining(t -> silence.put(t.getKey(), t.getValue().asLong()));
    }
    return new TickOffset(all.toString(), silence, clock == null ? 0 : clock.get("now").asLong());
  }

  private static ObjectNode object(String json) {
    try {
      return (ObjectNode) JSON.readTree(json);
    } catch (JsonProcessingException bad) {
      throw new IllegalStateException("not an offset: " + json, bad);
    }
  }

  @Override
  public String json() {
    ObjectNode out = object(kafka);
    if (!silence.isEmpty()) {
      ObjectNode told = out.putObject(SILENCE);
      silence.forEach(told::put);
    }
    if (now != 0) {
      out.putObject(CLOCK).put("now", now);
    }
    return out.toString();
  }
}
