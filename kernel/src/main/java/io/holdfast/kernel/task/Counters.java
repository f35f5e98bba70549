package io.holdfast.kernel.task;

import io.holdfast.kernel.records.OutputRow;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The counters of a batch: records that a node skipped, by kind, and time. They are sent to the sink at the end of the batch. */
final class Counters {
  private final Map<String, Map<String, Long>> counts = new TreeMap<>();

  /** Notes when a node of a task waits for the clock. */
  void wake(short task, String node, long time) {
    counts.computeIfAbsent(OutputRow.WAKE, k -> new TreeMap<>()).merge(task + "/" + node, time, Math::min);
  }

  void add(String kind, String node) {
    add(kind, node, 1);
  }

  void add(String kind, String node, long count) {
    counts.computeIfAbsent(kind, k -> new TreeMap<>()).merge(node, count, Long::sum);
  }

  void forget() {
    counts.clear();
  }

  /** Notes how far the time of a stage is. */
  void time(int stage, long timestamp) {
    latest(OutputRow.TIME, Integer.toString(stage), timestamp);
  }

  /** Notes how far the time of something is. */
  void latest(String kind, String name, long timestamp) {
    counts.computeIfAbsent(kind, k -> new TreeMap<>()).merge(name, timestamp, Math::max);
  }

  void flush(Consumer<OutputRow> out) {
    counts.forEach((kind, nodes) -> nodes.forEach((node, n) -> out.accept(OutputRow.counter(kind, node, n))));
    counts.clear();
  }
}
