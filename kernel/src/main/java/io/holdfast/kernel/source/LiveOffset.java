package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/**
 * The offsets that a reader in real-time mode has reached, by partition.
 *
 * @param arrived when a record last came to topics, for the reader that watches that
 */
record LiveOffset(HashMap<TopicPartition, Long> reached, HashMap<String, Long> arrived) implements PartitionOffset {
  /** The offsets of all readers, in JSON. */
  static String merged(PartitionOffset[] offsets) {
    Map<TopicPartition, Long> all = new HashMap<>();
    Map<String, Long> arrived = new TreeMap<>();
    for (PartitionOffset offset : offsets) {
      all.putAll(((LiveOffset) offset).reached);
      arrived.putAll(((LiveOffset) offset).arrived);
    }
    return new TickOffset(OffsetJson.json(all), Map.of(), arrived, 0).json();
  }
}
