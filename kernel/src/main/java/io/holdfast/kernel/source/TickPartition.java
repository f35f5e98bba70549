package io.holdfast.kernel.source;

import io.holdfast.kernel.records.Tick;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;

/**
 * The ticks of a batch as a partition: one row for each task.
 *
 * @param clock the wall-clock time, 0 if it is not used
 */
record TickPartition(ArrayList<TopicTick> topics, long clock) implements InputPartition {
  /**
   * The tick of a topic.
   *
   * @param idle for how long it has been idle, {@link TickOffset#DRAINED}, or negative if it is not idle
   */
  record TopicTick(String topic, int partitions, long idle, long now) implements Serializable {
    Tick of(IngestFactory program) {
      int number = program.topics().indexOf(topic);
      return idle == TickOffset.DRAINED ? Tick.drained(number, partitions, now) : Tick.ofTopic(number, partitions, idle);
    }
  }

  PartitionReader<InternalRow> reader(IngestFactory program) {
    List<Tick> ticks = new ArrayList<>();
    topics.forEach(t -> ticks.add(t.of(program)));
    if (clock != 0) {
      ticks.add(Tick.ofClock(clock));
    }
    Iterator<Short> labels = program.labels().iterator();
    return new PartitionReader<>() {
      private final PayloadRow row = new PayloadRow(64);
      private byte[] payload;

      @Override
      public boolean next() {
        payload = labels.hasNext() ? Tick.encode(labels.next(), ticks) : null;
        return payload != null;
      }

      @Override
      public InternalRow get() {
        return row.of(payload);
      }

      @Override
      public void close() {
        // There is nothing to close.
      }
    };
  }
}
