package io.holdfast.kernel.source;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * Where an epoch ends, as a record of the {@link EpochLog}.
 *
 * @param query whose epochs are counted; another checkpoint has another query
 * @param epoch its number; -1 in a record that only says that the app was started
 * @param term the start of the app that wrote it; a later start has a higher one
 * @param program the name of the program that ran it, in its mode
 * @param width how many sink partitions it had
 * @param ends the end offset of each source, as Spark's checkpoint has it
 */
record EpochEnds(String query, long epoch, long term, String program, int width, List<String> ends) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NO_EPOCH = -1;
  private static final int DIGEST_BYTES = 16;

  /** The record of a start. */
  static EpochEnds start(long term) {
    return new EpochEnds("", NO_EPOCH, term, "", 0, List.of());
  }

  boolean isStart() {
    return epoch == NO_EPOCH;
  }

  byte[] bytes() {
    ObjectNode out = JSON.createObjectNode().put("query", query).put("epoch", epoch).put("term", term).put("program", program)
        .put("width", width);
    ends.forEach(out.putArray("ends")::add);
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** The content of a record, or null if the app did not write it. */
  static EpochEnds of(byte[] bytes) {
    try {
      JsonNode read = bytes == null ? null : JSON.readTree(bytes);
      if (read == null || !read.path("epoch").canConvertToLong() || !read.path("term").canConvertToLong()
          || read.get("epoch").asLong() < NO_EPOCH) {
        return null;
      }
      List<String> ends = new ArrayList<>();
      read.path("ends").forEach(end -> ends.add(end.asText()));
      if (ends.isEmpty() && read.get("epoch").asLong() != NO_EPOCH) {
        return null;
      }
      return new EpochEnds(read.path("query").asText(), read.get("epoch").asLong(), read.get("term").asLong(),
          read.path("program").asText(), read.path("width").asInt(), ends);
    } catch (IOException foreign) {
      return null;
    }
  }

  /** The digest of the ends, as a marker has it. */
  String digest() {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(String.join("\n", ends).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }

  /** The Kafka offsets in the end of a source. */
  Map<TopicPartition, Long> kafka(int source) {
    return OffsetJson.of(TickOffset.of(ends.get(source)).kafka);
  }

  /** How far each topic was read, by all sources of it. */
  Map<String, Map<Integer, Long>> read() {
    Map<String, Map<Integer, Long>> out = new TreeMap<>();
    for (String end : ends) {
      // The offsets of other sources than topics have no partitions.
      tree(end).fields().forEachRemaining(topic -> {
        if (!topic.getKey().startsWith(TickOffset.OWN)) {
          topic.getValue().fields().forEachRemaining(partition -> add(out, topic.getKey(), partition));
        }
      });
    }
    return out;
  }

  private static void add(Map<String, Map<Integer, Long>> read, String topic, Map.Entry<String, JsonNode> partition) {
    if (partition.getKey().matches("\\d{1,9}") && partition.getValue().isIntegralNumber()) {
      read.computeIfAbsent(topic, name -> new TreeMap<>())
          .merge(Integer.valueOf(partition.getKey()), partition.getValue().asLong(), Math::min);
    }
  }

  boolean endsWhere(List<String> others) {
    if (ends.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < ends.size(); i++) {
      if (!same(ends.get(i), others.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether two offsets are the same; the order of their fields means nothing. */
  static boolean same(String one, String other) {
    return one.equals(other) || tree(one).equals(tree(other));
  }

  private static JsonNode tree(String offset) {
    try {
      return JSON.readTree(offset);
    } catch (IOException notJson) {
      return JSON.getNodeFactory().textNode(offset);
    }
  }
}
