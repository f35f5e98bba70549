package io.holdfast.kernel.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.streaming.Offset;

/** Spark's offsets of the Kafka source, through their JSON: {"topic": {"0": 12}}. */
final class OffsetJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private OffsetJson() {}

  static Map<TopicPartition, Long> of(Offset offset) {
    return of(offset.json());
  }

  static Map<TopicPartition, Long> of(String json) {
    Map<TopicPartition, Long> out = new HashMap<>();
    try {
      JsonNode topics = JSON.readTree(json);
      topics.fields().forEachRemaining(topic -> topic.getValue().fields().forEachRemaining(p ->
          out.put(new TopicPartition(topic.getKey(), Integer.parseInt(p.getKey())), p.getValue().asLong())));
    } catch (JsonProcessingException bad) {
      throw new IllegalStateException("not an offset of Kafka's: " + json, bad);
    }
    return out;
  }

  static String json(Map<TopicPartition, Long> offsets) {
    Map<String, TreeMap<Integer, Long>> topics = new TreeMap<>();
    offsets.forEach((p, o) -> topics.computeIfAbsent(p.topic(), t -> new TreeMap<>()).put(p.partition(), o));
    ObjectNode out = JSON.createObjectNode();
    topics.forEach((topic, partitions) -> {
      ObjectNode node = out.putObject(topic);
      partitions.forEach((p, o) -> node.put(p.toString(), o));
    });
    return out.toString();
  }
}
