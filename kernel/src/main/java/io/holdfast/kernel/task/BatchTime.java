package io.holdfast.kernel.task;

import io.holdfast.kernel.records.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a task learns of time in a batch: how far the topics are, and what the clock says. */
final class BatchTime {
  /** How far the topics are; null if no node asks. */
  private final Clock topics;
  private long wall = Clock.UNKNOWN;
  private int ticked;
  private long latest = Long.MIN_VALUE;

  BatchTime(Clock topics) {
    this.topics = topics;
  }

  /** The beginning of a task's batch. */
  void begin() {
    wall = Clock.UNKNOWN;
  }

  void take(List<Tick> ticks) {
    List<Tick> ofTopics = new ArrayList<>(ticks);
    ofTopics.removeIf(Tick::isClock);
    ticks.stream().filter(Tick::isClock).forEach(tick -> wall = tick.time());
    if (topics != null && !ofTopics.isEmpty()) {
      topics.take(ofTopics);
    }
  }

  boolean isEmpty() {
    return wall == Clock.UNKNOWN && !hasTopics();
  }

  private boolean hasTopics() {
    return topics != null && topics.hasNews();
  }

  /** Notes the time of a record. */
  void see(long timestamp) {
    latest = Math.max(latest, timestamp);
  }

  /** Counts how far the records of a stage have come since this was asked last. */
  void count(Counters counters, int stage) {
    if (latest != Long.MIN_VALUE) {
      counters.time(stage, latest);
      latest = Long.MIN_VALUE;
    }
  }

  /** Lets the nodes run on their records, and advances the time of each after it has. */
  void run(List<Spec> specs, Map<String, Node> nodes) {
    for (ticked = 0; ticked < specs.size(); ticked++) {
      Spec spec = specs.get(ticked);
      nodes.get(spec.id).runBatch();
      advance(spec, nodes.get(spec.id));
    }
    if (hasTopics()) {
      topics.save();
    }
  }

  /** The place of the node whose time is being advanced. */
  int ticked() {
    return ticked;
  }

  private void advance(Spec spec, Node node) {
    long time = hasTopics() ? topics.time(spec.topics, spec.followsTopics) : Clock.UNKNOWN;
    if (time != Clock.UNKNOWN) {
      node.tick(time);
    }
    long drained = hasTopics() ? topics.drained(spec.allTopics) : Clock.UNKNOWN;
    if (drained != Clock.UNKNOWN) {
      node.drain(drained);
    }
    if (wall != Clock.UNKNOWN) {
      node.wallTick(wall);
    }
  }

  /** What the clock says; Long.MIN_VALUE if the program does not ask. */
  long wall() {
    return wall;
  }
}
