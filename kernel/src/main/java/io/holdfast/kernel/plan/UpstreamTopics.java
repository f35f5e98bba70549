package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.task.NodeSpec;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Which topics advance the time of each node. */
final class UpstreamTopics {
  private final Map<String, Long> idle = new LinkedHashMap<>();
  private final Set<String> ticking = new LinkedHashSet<>();

  UpstreamTopics(Map<String, JsonNode> json, Map<String, NodeSpec> specs) {
    for (NodeSpec spec : specs.values()) {
      JsonNode node = json.get(spec.id);
      spec.topics = topics(node, spec, false, i -> specs.get(i).topics);
      spec.allTopics = topics(node, spec, true, i -> specs.get(i).allTopics);
      spec.followsTopics = node.path("time").asText().equals("source")
          || spec.inputs.stream().limit(spec.recordInputs()).anyMatch(i -> specs.get(i).followsTopics);
      if (spec.followsTopics) {
        ticking.addAll(spec.topics);
      }
      if (node.get("op").asText().equals("source")) {
        read(node);
      }
    }
    ticking.forEach(topic -> idle.putIfAbsent(topic, 0L));
  }

  /** A table's topic does not advance time by itself, only by its records. */
  private static Set<String> topics(JsonNode node, NodeSpec spec, boolean tables, Function<String, Set<String>> before) {
    Set<String> out = new LinkedHashSet<>();
    if (node.get("op").asText().equals("source") && (tables || node.get("kind").asText().equals("stream"))) {
      node.get("topics").forEach(t -> out.add(t.asText()));
    }
    spec.inputs.stream().limit(spec.recordInputs()).forEach(i -> out.addAll(before.apply(i)));
    return out;
  }

  private void read(JsonNode node) {
    if (node.hasNonNull("close_on_idle")) {
      node.get("topics").forEach(t -> {
        ticking.add(t.asText());
        idle.merge(t.asText(), node.get("close_on_idle").asLong(), Math::max);
      });
    }
  }

  /** The topics of which the tasks get ticks. */
  Set<String> ticking() {
    return Set.copyOf(ticking);
  }

  /** After how many milliseconds without a record a topic is idle, so that its time advances by the clock; 0: never. */
  Map<String, Long> idle() {
    return idle;
  }
}
