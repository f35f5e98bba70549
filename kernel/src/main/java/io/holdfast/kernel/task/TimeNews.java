package io.holdfast.kernel.task;

import java.util.ArrayList;
import java.util.List;

/** What a task hears of time in a batch: how far the topics are, and what the clock says. */
final class TimeNews {
  /** How far the topics are; null if no node asks. */
  private final Clock topics;
  private long wall = Clock.UNKNOWN;

  TimeNews(Clock topics) {
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

  /** Tells a node that has run on its records. */
  void tell(Spec spec, Node node) {
    long time = hasTopics() ? topics.time(spec.topics, spec.followsTopics) : Clock.UNKNOWN;
    if (time != Clock.UNKNOWN) {
      node.tick(time);
    }
    if (wall != Clock.UNKNOWN) {
      node.wallTick(wall);
    }
  }

  /** What the clock says; Long.MIN_VALUE if the program does not ask. */
  long wall() {
    return wall;
  }

  /** The end of the batch. */
  void save() {
    if (hasTopics()) {
      topics.save();
    }
  }
}
