package io.holdfast.kernel.source;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/**
 * A range of Kafka's and what the clock said when the batch was planned: the time of its records, also when the batch is repeated.
 *
 * @param now in milliseconds since 1970
 */
record ClockedPartition(KafkaBatchInputPartition range, long now) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return range.preferredLocations();
  }
}
