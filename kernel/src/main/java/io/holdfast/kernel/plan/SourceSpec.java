package io.holdfast.kernel.plan;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.source.TimeBounds;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * How the records of a source's topics become records of the topology.
 *
 * @param kind stream, table or global
 * @param keyed the expression for the key of a DataFrame's row, or null
 * @param time the expression for the timestamp, or null
 * @param timeType its type
 * @param wall whether the wall clock is the time
 * @param maxAhead how many milliseconds a time may be ahead of the clock, or {@link TimeBounds#ANY}
 */
public record SourceSpec(
    String id, String at, String kind, Serde key, BoundExpressions keyed, Serde value, BoundExpressions time, DataType timeType, String zone, boolean wall,
    long maxAhead, boolean failOnError)
    implements Serializable {
  /** Whether its records need the wall clock. */
  boolean asksClock() {
    return wall || maxAhead != TimeBounds.ANY;
  }

  public boolean table() {
    return !kind.equals("stream");
  }
}
