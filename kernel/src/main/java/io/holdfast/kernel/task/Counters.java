package io.holdfast.kernel.task;

import io.holdfast.kernel.sink.OutputRow;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** How many records of a batch a node had no use for, by kind; told to the sink at the end of the batch. */
final class Counters {
  private final Map<String, Map<String, Long>> counts = new TreeMap<>();

  void add(String kind, String node) {
    counts.computeIfAbsent(kind, k -> new TreeMap<>()).merge(node, 1L, Long::sum);
  }

  void forget() {
    counts.clear();
  }

  void flush(Consumer<OutputRow> out) {
    counts.forEach((kind, nodes) -> nodes.forEach((node, n) -> out.accept(OutputRow.counter(kind, node, n))));
    counts.clear();
  }
}
