package io.holdfast.kernel.task;

import java.io.Serializable;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.DataType;

/** What is known of a node before it runs: sent to the executors and opened there. */
public abstract class NodeSpec implements Serializable {
  public final String id;
  /** Where the user wrote it: file:line. */
  public final String at;
  public final int stage;
  public final List<String> inputs;
  /** The types of the keys and values that the node emits. */
  public DataType key;
  public DataType value;
  /** The types of the entries in its store, where they differ from what the node emits; null otherwise. */
  public DataType storedKey;
  public DataType storedValue;
  /** The type of its state, where the values do not show it; null otherwise. */
  public DataType remembered;
  /** The topics that it reads, directly or through other nodes. */
  public Set<String> topics = Set.of();
  /** The same with the topics of tables: when all of them are drained, windows and timers close by the wall clock. */
  public Set<String> allTopics = Set.of();
  /** Whether its time advances with those topics, and not only with the records that it processes. */
  public boolean followsTopics;

  protected NodeSpec(NodeSpec.Head head) {
    this.id = head.id();
    this.at = head.at();
    this.stage = head.stage();
    this.inputs = List.copyOf(head.inputs());
  }

  /** The part that all nodes have. */
  public record Head(String id, String at, int stage, List<String> inputs) {}

  /** The input node that a record came from; a table that reads a topic is its own input. */
  String inputOf(StreamRecord r) {
    return inputs.isEmpty() ? id : inputs.get(r.port);
  }

  /** How many of the inputs send records; further ones are tables that are read. */
  public int recordInputs() {
    return inputs.size();
  }

  /** The type of the keys of its store. */
  public final DataType storeKey() {
    return storedKey == null ? key : storedKey;
  }

  /** The type of the values in its store. */
  public final DataType storeValue() {
    return storedValue == null ? value : storedValue;
  }

  /** Its state store, or null. */
  public StoreSpec store() {
    return null;
  }

  /** All its state stores: the main store, and further parts. */
  public List<StoreSpec> stores() {
    return store() == null ? List.of() : List.of(store());
  }

  /** Combines the records of a key before they come to this node; null if each must come itself. */
  public Combiner.Plan combiner() {
    return null;
  }

  /** Whether the node must rehearse its batch. */
  public boolean rehearses() {
    return false;
  }

  public abstract Node open(Task task);
}
