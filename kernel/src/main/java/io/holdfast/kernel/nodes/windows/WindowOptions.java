package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.StoreSpec;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * What a table of windows needs to know besides its windows.
 *
 * @param key the type of the groups' keys
 * @param folder how the records of a window become one state
 * @param grace how long after its end a window takes records, in milliseconds
 * @param onClose whether a window is emitted once, when it has closed
 * @param late the topic for records that come later, or null
 */
public record WindowOptions(
    DataType key, Folder.Plan folder, StoreSpec store, long grace, boolean onClose, String late, boolean readByOthers)
    implements Serializable {
  /** Where times and what waits for them are kept. */
  public static final String PART = "time";
}
