package io.holdfast.kernel.task;

import io.holdfast.kernel.python.PythonWorkers;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What runs at one place: the nodes in order, and where each sends its records.
 *
 * @param topics what is read, in the order that the record's place refers to
 * @param frames those of them that are no topics of Kafka
 * @param edges all edges of the app by id, so that a stage knows what to pass on
 * @param types of all nodes of the app
 * @param ticking topics of which the tasks hear how far they are; empty if no node asks
 * @param python where Python functions run; null if there are none, or if they run where the test runs
 * @param last whether what leaves it goes to the sink
 * @param outgoing per node its consumers, in order: a node beside it, or the id of an edge
 */
public record Program(
    String app,
    int place,
    Tasks tasks,
    List<String> topics,
    List<String> frames,
    List<Spec> nodes,
    Map<Integer, Edge> edges,
    Map<String, List<Object>> outgoing,
    Map<String, Typed> types,
    boolean failOnError,
    Set<String> ticking,
    boolean last,
    PythonWorkers python)
    implements Serializable {

  /** Where a task remembers how far the topics are. */
  public static final StoreSpec CLOCK = new StoreSpec(null, "~clock", false, null);

  /** All state of this place. */
  public List<StoreSpec> stores() {
    List<StoreSpec> all = new ArrayList<>();
    nodes.forEach(node -> all.addAll(node.stores()));
    if (!ticking.isEmpty()) {
      all.add(CLOCK);
    }
    return all;
  }

  /** The same program with one node only, which nobody listens to. */
  Program only(Spec node) {
    return new Program(app, place, tasks, topics, frames, List.of(node), Map.of(), Map.of(), types, failOnError, Set.of(), last, python);
  }

  /** A consumer of the same place, which of its inputs, and whether it wants every update of a table. */
  public record Beside(String node, int port, boolean every) implements Serializable {}

  /** The topic for records that could not be processed. */
  public String deadLetters() {
    return app + "-dead-letters";
  }
}
