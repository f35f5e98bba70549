package io.holdfast.kernel.task;

import io.holdfast.kernel.records.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The time updates that a task gets in a batch: how far the topics are, and the wall clock. */
final class BatchTime {
  /** How far the topics are; null if no node asks. */
  private final TopicClock topics;
  private long wall = TopicClock.UNKNOWN;
  private int ticked;
  private long latest = Long.MIN_VALUE;

  BatchTime(TopicClock topics) {
    this.topics = topics;
  }

  /** The beginning of a task's batch. */
  void begin() {
    wall = TopicClock.UNKNOWN;
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
    return wall == TopicClock.UNKNOWN && !hasTopics();
  }

  private boolean hasTopics() {
    return topics != null && topics.hasNews();
  }

  /** Notes the time of a record. */
  void see(long timestamp) {
    latest = Math.max(latest, timestamp);
  }

  /** Counts the latest time of a stage's records since the last call. */
  void count(Counters counters, int stage) {
    if (latest != Long.MIN_VALUE) {
      counters.time(stage, latest);
      latest = Long.MIN_VALUE;
    }
  }

  /** Runs the nodes on their records; the time of each node is advanced after it has run. */
  void run(List<NodeSpec> specs, Map<String, Node> nodes, NodeWork work) {
    for (ticked = 0; ticked < specs.size(); ticked++) {
      NodeSpec spec = specs.get(ticked);
      Node node = nodes.get(spec.id);
      work.run(spec.id, node);
      work.advance(spec.id, () -> advance(spec, node));
    }
    if (hasTopics()) {
      topics.save();
    }
  }

  /** The index of the node whose time is being advanced. */
  int ticked() {
    return ticked;
  }

  private void advance(NodeSpec spec, Node node) {
    long time = hasTopics() ? topics.time(spec.topics, spec.followsTopics) : TopicClock.UNKNOWN;
    if (time != TopicClock.UNKNOWN) {
      node.tick(time);
    }
    long drained = hasTopics() ? topics.drained(spec.allTopics) : TopicClock.UNKNOWN;
    if (drained != TopicClock.UNKNOWN) {
      node.drain(drained);
    }
    if (wall != TopicClock.UNKNOWN) {
      node.wallTick(wall);
    }
  }

  /** The wall-clock time; Long.MIN_VALUE if the program does not use it. */
  long wall() {
    return wall;
  }
}
