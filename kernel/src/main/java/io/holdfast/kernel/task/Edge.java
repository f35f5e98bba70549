package io.holdfast.kernel.task;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A way from a node to a consumer in a later stage.
 *
 * @param id its tag on the rows
 * @param to the consumer
 * @param key the type of keys that go this way
 * @param value and of values
 * @param route which tasks the records go to, and which of them go this way
 * @param combiner what makes fewer records of those of a key, or null
 */
public record Edge(int id, Input to, DataType key, DataType value, Route route, Combiner.Plan combiner) implements Serializable {
  /**
   * One input of a consumer.
   *
   * @param stage its stage
   * @param port which of its inputs
   */
  public record Input(int stage, String node, int port) implements Serializable {}

  /**
   * Which tasks the records of an edge go to, and which records those are.
   *
   * @param width over how many tasks the keys spread
   * @param everywhere whether each task gets a copy
   * @param hop whether the key was changed on the way
   * @param every whether every update of a table goes this way, whatever the table emits
   * @param copy whether it leads to a copy of a table, which drops what the table drops
   * @param replay whether only records go this way that had been refused by the consumer
   */
  public record Route(int width, boolean everywhere, boolean hop, boolean every, boolean copy, boolean replay) implements Serializable {
    /** The way of records that the consumer had refused, over so many tasks. */
    public static Route ofReplay(int width) {
      return new Route(width, false, false, false, false, true);
    }
  }

  /** The type of partial states that go this way, or null. */
  DataType partial() {
    return combiner == null ? null : combiner.partial();
  }
}
