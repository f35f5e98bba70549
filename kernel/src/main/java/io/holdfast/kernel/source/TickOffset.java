package io.holdfast.kernel.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.connector.read.streaming.Offset;

/**
 * Kafka offsets and, because a repeated batch must get the same ticks, for how long topics had been idle, and the wall clock.
 *
 * <p>In JSON: {"topic": {"0": 12}, "#silence": {"topic": 5000}, "#arrived": {"topic": 1699999995000}, "#clock": {"now": 1700000000000}}.
 */
final class TickOffset extends Offset {
  /** The idle time of a topic at the end of a drain: windows and timers close by the wall clock, whatever the topic's own time is. */
  static final long DRAINED = 0;
  private static final ObjectMapper JSON = new ObjectMapper();
  /** What the names of our own fields begin with; no topic does. */
  static final String OWN = "#";
  private static final String IDLE = OWN + "silence";
  private static final String ARRIVED = OWN + "arrived";
  private static final String CLOCK = OWN + "clock";
  final String kafka;
  /** For how long each idle topic has been idle, in milliseconds; or {@link #DRAINED}. */
  final Map<String, Long> idle;
  /** When a record last came to each topic, for the next run. */
  final Map<String, Long> arrived;
  /** The wall-clock time, 0 if the batch does not use it. */
  final long now;

  TickOffset(String kafka, Map<String, Long> idle, Map<String, Long> arrived, long now) {
    this.kafka = kafka;
    this.idle = idle;
    this.arrived = arrived;
    this.now = now;
  }

  static TickOffset of(String json) {
    ObjectNode all = object(json);
    Map<String, Long> idle = times(all.remove(IDLE));
    Map<String, Long> arrived = times(all.remove(ARRIVED));
    JsonNode clock = all.remove(CLOCK);
    return new TickOffset(all.toString(), idle, arrived, clock == null ? 0 : clock.get("now").asLong());
  }

  private static Map<String, Long> times(JsonNode stored) {
    Map<String, Long> out = new TreeMap<>();
    if (stored != null) {
      stored.fields().forEachRemaining(t -> out.put(t.getKey(), t.getValue().asLong()));
    }
    return out;
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
    put(out, IDLE, idle);
    put(out, ARRIVED, arrived);
    if (now != 0) {
      out.putObject(CLOCK).put("now", now);
    }
    return out.toString();
  }

  private static void put(ObjectNode out, String name, Map<String, Long> times) {
    if (!times.isEmpty()) {
      ObjectNode object = out.putObject(name);
      times.forEach(object::put);
    }
  }
}
