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
   * Takes the record into the state, which it may change and give back.
   *
   * @param state null if the group is new; as before if this fails
   */
  Object add(Object state, StreamRecord r);

  /** Like {@link #add}, where further records are to come: whether the state has a value is not asked yet. */
  default Object take(Object state, StreamRecord r) {
    return add(state, r);
  }

  /** The state of a group of these records, before the one that is to be added. */
  default Object fold(Iterable<StreamRecord> records) {
    Object out = null;
    for (StreamRecord each : records) {
      out = take(out, each);
    }
    return out;
  }

  /** Whether the record can be added without a failure that depends on the state; false if that is not known. */
  default boolean surelyAdds(Object state, StreamRecord r) {
    return true;
  }

  /**
   * The state of two groups that have become one; it may change the first and give it back.
   *
   * @param state that of the earlier one, null if there is none
   * @param r the record that brought them together
   */
  Object merge(Object state, Object other, StreamRecord r);

  /**
   * Takes the record back out of the state; only of rows of a table, and only if the plan says that it can.
   *
   * @param state never null; as before if this fails
   */
  default Object subtract(Object state, StreamRecord r) {
    throw new UnsupportedOperationException(getClass().getSimpleName());
  }

  /** The same where states must fit into the changelog of their store: a record that would make one too large fails. */
  default Folder within(StateLimit limit) {
    return new LimitedFolder(this, limit);
  }

  /** The value of a group whose rows have all gone; null if it goes, too. */
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

    /** The type of the value that others see. */
    DataType value();

    /** What states are made of, where their value does not show it; null otherwise. */
    default DataType remembered() {
      return null;
    }

    /** Whether it can take records back. */
    default boolean subtracts() {
      return false;
    }

    /** Whether it looks at the metadata of records. */
    default boolean usesMeta() {
      return false;
    }

    /** Whether it must see a batch before it knows what its records make. */
    default boolean rehearses() {
      return false;
    }

    Folder open(NodeSpec node, Task task);

    /** What may be made of the records of a key before they come here; null if each must come itself. */
    default Combiner.Plan combiner() {
      return null;
    }
  }
}
