package io.holdfast.kernel.task;

import io.holdfast.kernel.records.OwnTopics;
import io.holdfast.kernel.workers.PythonWorkerPool;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.types.DataType;

/**
 * The program of one stage: the nodes in order, and where each sends its records.
 *
 * @param stage its number; -1 where records are read
 * @param topics what is read; positions in the order refer to topics by their index here
 * @param frames those of them that are no topics of Kafka
 * @param edges all edges of the app by id, so that a stage knows what to pass on
 * @param types of all nodes of the app
 * @param ticking topics of which the tasks get the time; empty if no node needs it
 * @param python where Python functions run; null if there are none, or if they run where the test runs
 * @param last whether its output goes to the sink
 * @param replayRoutes per node and input, how a replayed record gets there
 * @param outgoing per node its consumers, in order: a node of the same stage, or the id of an edge
 */
public record Program(
    String app,
    int stage,
    TaskLabels tasks,
    List<String> topics,
    List<String> frames,
    List<NodeSpec> nodes,
    Map<Integer, Edge> edges,
    Map<String, List<Object>> outgoing,
    Map<String, NodeTypes> types,
    boolean failOnError,
    Set<String> ticking,
    boolean last,
    PythonWorkerPool python,
    Map<String, List<ReplayRoute>> replayRoutes)
    implements Serializable {

  /** Where a task stores the time of the topics. */
  public static final StoreSpec CLOCK = new StoreSpec(null, "~clock", false, null);

  /** All state of this stage. */
  public List<StoreSpec> stores() {
    List<StoreSpec> all = new ArrayList<>();
    nodes.forEach(node -> all.addAll(node.stores()));
    if (!ticking.isEmpty()) {
      all.add(CLOCK);
    }
    return all;
  }

  /** The same program with one node only, which has no consumers. */
  Program only(NodeSpec node) {
    return new Program(app, stage, tasks, topics, frames, List.of(node), Map.of(), Map.of(), types, failOnError, Set.of(), last, python, Map.of());
  }

  /** A consumer in the same stage, which of its inputs, and whether it wants every update of a table. */
  public record LocalConsumer(String node, int port, boolean every) implements Serializable {}

  /**
   * The route of a replayed record to the node that had refused it.
   *
   * @param edge which leads there; null if the node is where records are read
   * @param key the type of keys as the node gets them
   * @param value and of values
   * @param at where the user wrote the node
   */
  public record ReplayRoute(Integer edge, DataType key, DataType value, String at) implements Serializable {}

  /** The topic for dead letters that are replayed. */
  public String replays() {
    return OwnTopics.replays(app);
  }

  /** The topic for records that could not be processed. */
  public String deadLetters() {
    return OwnTopics.deadLetters(app);
  }
}
