package io.holdfast.kernel.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.records.Tick;
import io.holdfast.kernel.stores.KeyValueStore;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** The time that each topic has reached, as ticks have reported it to a task; stored between batches. */
final class TopicClock {
  static final long UNKNOWN = Long.MIN_VALUE;
  /** The time of an idle topic without records: it does not advance time, and does not delay it. */
  private static final long NEVER = Long.MAX_VALUE;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] PLACE = {'c'};
  private final KeyValueStore store;
  private final List<String> topics;
  private final Map<String, Topic> known = new HashMap<>();
  private boolean news;

  private static final class Topic {
    int partitions = Integer.MAX_VALUE;
    final Map<Integer, Long> reached = new TreeMap<>();
    long idle = -1;
    long drained = UNKNOWN;

    /** The time of the partition that is furthest behind. */
    long slowest() {
      return reached.size() < partitions ? UNKNOWN : reached.values().stream().mapToLong(Long::longValue).min().orElse(UNKNOWN);
    }

    /** The time of an idle topic: that of its last record plus the idle time. A topic that never had a record is ahead of all others. */
    long idle() {
      if (idle < 0) {
        return UNKNOWN;
      }
      return reached.isEmpty() ? NEVER : reached.values().stream().mapToLong(Long::longValue).max().getAsLong() + idle;
    }
  }

  TopicClock(KeyValueStore store, List<String> topics) {
    this.store = store;
    this.topics = topics;
  }

  boolean hasNews() {
    return news;
  }

  void take(List<Tick> ticks) {
    if (!news) {
      load();
      news = true;
    }
    for (Tick tick : ticks) {
      Topic topic = known.computeIfAbsent(topics.get(tick.topic()), t -> new Topic());
      if (tick.partition() >= 0) {
        topic.reached.merge(tick.partition(), tick.time(), Math::max);
      } else {
        topic.partitions = tick.partitions();
        topic.idle = tick.time();
        topic.drained = tick.drained();
      }
    }
  }

  /**
   * The time that the topics have reached together, as far as ticks say and not records.
   *
   * @param follows whether time moves with the topics, or only when all of them are idle
   */
  long time(Collection<String> of, boolean follows) {
    long idle = least(of, Topic::idle);
    return follows ? Math.max(idle, least(of, t -> Math.max(t.slowest(), t.idle()))) : idle;
  }

  /** The wall-clock time at which everything of the topics had been read; UNKNOWN if there is more to read. */
  long drained(Collection<String> of) {
    return least(of, t -> t.drained);
  }

  private long least(Collection<String> of, ToLongFunction<Topic> time) {
    long out = Long.MAX_VALUE;
    for (String topic : of) {
      out = Math.min(out, known.containsKey(topic) ? time.applyAsLong(known.get(topic)) : UNKNOWN);
    }
    return out == NEVER ? UNKNOWN : out;
  }

  private void load() {
    known.clear();
    byte[] stored = store.get(PLACE);
    if (stored == null) {
      return;
    }
    try {
      JSON.readTree(stored).fields().forEachRemaining(topic -> known.put(topic.getKey(), read(topic.getValue())));
    } catch (IOException bad) {
      throw new IllegalStateException("the clock of a task cannot be read", bad);
    }
  }

  private static Topic read(JsonNode stored) {
    Topic topic = new Topic();
    stored.fields().forEachRemaining(p -> topic.reached.put(Integer.parseInt(p.getKey()), p.getValue().asLong()));
    return topic;
  }

  /** The end of the batch. */
  void save() {
    if (!news) {
      return;
    }
    news = false;
    ObjectNode out = JSON.createObjectNode();
    known.forEach((name, topic) -> {
      ObjectNode partitions = out.putObject(name);
      topic.reached.forEach((p, time) -> partitions.put(p.toString(), time));
    });
    try {
      store.put(PLACE, JSON.writeValueAsBytes(out));
    } catch (JsonProcessingException bad) {
      throw new IllegalStateException(bad);
    }
  }
}
