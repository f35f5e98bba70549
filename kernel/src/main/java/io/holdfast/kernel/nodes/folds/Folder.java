package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.nodes.StateForm;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.task.Combiner;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/** How the records of a group become one state, whatever the groups are: keys, windows, sessions. */
public interface Folder extends StateForm {
  /**
   * Adds the record to the state, which it may change and return.
   *
   * @param state null if the group is new; unchanged if this fails
   */
  Object add(Object state, StreamRecord r);

  /** Like {@link #add}, where further records follow: whether the state has a value is not checked yet. */
  default Object take(Object state, StreamRecord r) {
    return add(state, r);
  }

  /** The state of a group of these records, to which another one is added then. */
  default Object fold(Iterable<StreamRecord> records) {
    Object out = null;
    for (StreamRecord each : records) {
      out = take(out, each);
    }
    return out;
  }

  /** Whether the record can be added without a failure that depends on the state; false if that is not known. */
  default boolean addsWithoutFailure(Object state, StreamRecord r) {
    return true;
  }

  /**
   * Merges the states of two groups that have become one; it may change the first and return it.
   *
   * @param state that of the earlier one, null if there is none
   * @param r the record that merges them
   */
  Object merge(Object state, Object other, StreamRecord r);

  /**
   * Retracts the record from the state; only for rows of a table, and only if the plan supports it.
   *
   * @param state never null; unchanged if this fails
   */
  default Object subtract(Object state, StreamRecord r) {
    throw new UnsupportedOperationException(getClass().getSimpleName());
  }

  /** The folder with a limit for its states, that of the changelog: a record that would make a state too large fails. */
  default Folder within(StateLimit limit) {
    return new LimitedFolder(this, limit);
  }

  /** The value of a group without rows; null if the group is deleted. */
  default Object empty() {
    return null;
  }

  /** A copy of a state. */
  default Object copy(Object state, RowCodec codec) {
    return unpack(codec.decode(codec.encode(pack(state))));
  }

  /** A folder before it runs: sent to the executors and opened there. */
  interface Plan extends Serializable {
    /** The type of the stored form. */
    DataType state();

    /** The type of the value, as consumers see it. */
    DataType value();

    /** The type of the state, where the value does not show it; null otherwise. */
    default DataType remembered() {
      return null;
    }

    /** Whether it can retract records. */
    default boolean subtracts() {
      return false;
    }

    /** Whether it uses the metadata of records. */
    default boolean usesMeta() {
      return false;
    }

    /** Whether it must rehearse its batches. */
    default boolean rehearses() {
      return false;
    }

    Folder open(NodeSpec node, Task task);

    /** Combines the records of a key before the exchange; null if each must come itself. */
    default Combiner.Plan combiner() {
      return null;
    }
  }
}
