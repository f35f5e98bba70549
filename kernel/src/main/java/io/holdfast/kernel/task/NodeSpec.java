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
  /** What the node gives: the type of keys and of values. */
  public DataType key;
  public DataType value;
  /** The types of what its store shows, where that is not what the node gives; null otherwise. */
  public DataType storedKey;
  public DataType storedValue;
  /** What its state is made of, where the values do not show it; null otherwise. */
  public DataType remembered;
  /** The topics whose records, or what became of them, come to it. */
  public Set<String> topics = Set.of();
  /** The same with the topics of tables: when nothing more is to come of any, it does what is over by the clock. */
  public Set<String> allTopics = Set.of();
  /** Whether its time moves with those topics, and not only with the records that it sees. */
  public boolean followsTopics;

  protected NodeSpec(NodeSpec.Head head) {
    this.id = head.id();
    this.at = head.at();
    this.stage = head.stage();
    this.inputs = List.copyOf(head.inputs());
  }

  /** The part that all nodes have. */
  public record Head(String id, String at, int stage, List<String> inputs) {}

  /** The node whose record this is; a table's topic is its own. */
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

  /** The type of the values that its store shows. */
  public final DataType storeValue() {
    return storedValue == null ? value : storedValue;
  }

  /** The state it keeps, or null. */
  public StoreSpec store() {
    return null;
  }

  /** All state that it keeps: the store, and what it needs besides. */
  public List<StoreSpec> stores() {
    return store() == null ? List.of() : List.of(store());
  }

  /** What makes fewer records of those of a key on their way to this node; null if it wants to see each. */
  public Combiner.Plan combiner() {
    return null;
  }

  /** Whether the node must go through a batch before it knows what its records make. */
  public boolean rehearses() {
    return false;
  }

  public abstract Node open(Task task);
}
