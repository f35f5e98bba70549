package io.holdfast.kernel.source;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/**
 * A range of a Kafka partition and the wall-clock time at which the batch was planned: its records get that time or are compared with it, also
 * when the batch is repeated.
 *
 * @param now in milliseconds since 1970
 */
record ClockedPartition(KafkaBatchInputPartition range, long now) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return range.preferredLocations();
  }
}
