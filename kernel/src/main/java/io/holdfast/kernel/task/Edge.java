package io.holdfast.kernel.task;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A connection from a node to a consumer in a later stage.
 *
 * @param id its tag on the rows
 * @param to the consumer
 * @param key the type of the keys on this edge
 * @param value and of values
 * @param route which records take this edge, and to which tasks they go
 * @param combiner what makes fewer records of those of a key, or null
 */
public record Edge(int id, Input to, DataType key, DataType value, Route route, Combiner.Plan combiner) implements Serializable {
  /**
   * One input of a consumer.
   *
   * @param stage its number
   * @param port which of its inputs
   */
  public record Input(int stage, String node, int port) implements Serializable {}

  /**
   * Which tasks the records of an edge go to, and which records those are.
   *
   * @param width over how many tasks the keys spread
   * @param everywhere whether each task gets a copy
   * @param hop whether the key was changed before
   * @param every whether every update of a table is sent, whatever the table emits
   * @param copy whether the consumer is a copy of a table, which deletes what the table evicts
   * @param replay whether the edge is only for replayed records, which the consumer had refused
   */
  public record Route(int width, boolean everywhere, boolean hop, boolean every, boolean copy, boolean replay) implements Serializable {
    /** The route of replayed records to the consumer that had refused them, over so many tasks. */
    public static Route ofReplay(int width) {
      return new Route(width, false, false, false, false, true);
    }
  }

  /** The type of partial states on this edge, or null. */
  DataType partial() {
    return combiner == null ? null : combiner.partial();
  }
}
