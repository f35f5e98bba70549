package io.holdfast.kernel.plan;

import io.holdfast.kernel.expr.Bound;
import io.holdfast.kernel.serde.Serde;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * How the records of a source's topics become records of the topology.
 *
 * @param kind stream, table or global
 * @param keyed the expression for the key, where it does not come as bytes of its own; or null
 * @param time the expression for the timestamp, or null
 * @param timeType its type
 * @param wall whether the wall clock is the time
 */
public record SourceSpec(
    String id, String at, String kind, Serde key, Bound keyed, Serde value, Bound time, DataType timeType, String zone, boolean wall,
    boolean failOnError)
    implements Serializable {
  public boolean table() {
    return !kind.equals("stream");
  }
}
