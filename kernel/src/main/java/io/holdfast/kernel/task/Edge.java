package io.holdfast.kernel.task;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A way from a node to a consumer in a later stage.
 *
 * @param id its tag on the rows
 * @param place the consumer's stage
 * @param target the consumer
 * @param port which of its inputs
 * @param hop whether the key was changed on the way
 * @param everywhere whether each task gets a copy
 * @param every whether every update of a table goes this way, whatever the table emits
 * @param copy whether it leads to a copy of a table, which forgets what the table forgets
 * @param combiner what makes fewer records of those of a key, or null
 * @param width over how many tasks the keys spread
 * @param entrance whether only records go this way that had been refused by the consumer
 */
public record Edge(
    int id, int place, String target, int port, DataType key, DataType value, boolean hop, boolean everywhere, boolean every,
    boolean copy, Combiner.Plan combiner, int width, boolean entrance)
    implements Serializable {

  /** The type of partial states that go this way, or null. */
  DataType partial() {
    return combiner == null ? null : combiner.partial();
  }
}
