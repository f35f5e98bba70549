package io.holdfast.kernel.task;

import java.io.Serializable;
import java.util.function.Consumer;
import org.apache.spark.sql.types.DataType;

/**
 * Combines the records of a key before an exchange. The consumer's value and time after a batch are the same as without it, and so are the
 * dead letters of records that fail.
 */
public interface Combiner {
  /**
   * Takes a record of a key.
   *
   * @param state what was made of the records before it, or null; as before if this fails
   */
  Object add(Object state, StreamRecord r);

  /**
   * Emits what is sent instead of the records that were combined.
   *
   * @param last the key's last record in the total order, without its value and with the latest time of all
   */
  void finish(Object state, StreamRecord last, Consumer<StreamRecord> out);

  /** A combiner before it runs. */
  interface Plan extends Serializable {
    /** The type of partial states that it sends; null if it sends records only. */
    DataType partial();

    Combiner open(Task task);
  }
}
