package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/** How far a reader without end has come, in each partition of a topic that it reads. */
record LiveOffset(HashMap<TopicPartition, Long> reached) implements PartitionOffset {
  /** All readers' together, as Kafka's offset in JSON. */
  static String merged(PartitionOffset[] offsets) {
    Map<TopicPartition, Long> all = new HashMap<>();
    for (PartitionOffset offset : offsets) {
      all.putAll(((LiveOffset) offset).reached);
    }
    return Offsets.json(all);
  }
}
