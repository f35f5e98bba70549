package io.holdfast.kernel.source;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/**
 * A range of Kafka's and what the clock said when the batch was planned: its records get or are compared with it, also when the batch is
 * repeated.
 *
 * @param now in milliseconds since 1970
 */
record ClockedPartition(KafkaBatchInputPartition range, long now) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return range.preferredLocations();
  }
}
