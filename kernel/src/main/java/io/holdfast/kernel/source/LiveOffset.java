package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/**
 * How far a reader without end has come, in each partition of a topic that it reads.
 *
 * @param arrived when something last came to topics, if the reader looks for that
 */
record LiveOffset(HashMap<TopicPartition, Long> reached, HashMap<String, Long> arrived) implements PartitionOffset {
  /** All readers' together, in JSON. */
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
