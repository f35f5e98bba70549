package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.StoreSpec;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * The options that all tables of windows have.
 *
 * @param key the type of the groups' keys
 * @param folder how the records of a window become one state
 * @param grace how long after its end a window takes records, in milliseconds
 * @param onClose whether a window is emitted once, when it has closed
 * @param late the topic of late records, or null
 */
public record WindowOptions(
    DataType key, Folder.Plan folder, StoreSpec store, long grace, boolean onClose, String late, boolean readByOthers)
    implements Serializable {
  /** The part of the store with stream time and the indexes by time. */
  public static final String PART = "time";
}
