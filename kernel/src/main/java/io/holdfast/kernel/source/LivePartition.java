package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Some partitions of topics, from their offsets on, for one reader that waits for more records until the end of the epoch.
 *
 * @param tables topics whose rows go before records of streams of the same time
 * @param limits which times of records are refused, and do not advance the time of a topic
 * @param query whose {@link AdmissionGate} ends it earlier
 * @param until when it ends, by the clock
 */
record LivePartition(
    String query, HashMap<TopicPartition, Long> from, Set<String> tables, TimeLimits limits, Map<String, Object> settings, boolean failOnDataLoss, boolean headers, long until)
    implements InputPartition {

  boolean isOver() {
    return System.currentTimeMillis() >= until || AdmissionGate.isClosed(query);
  }
}
