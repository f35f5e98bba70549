package io.holdfast.kernel.source;

import io.holdfast.kernel.task.Tick;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;

/**
 * News of time as a partition of a batch: one row for each task.
 *
 * @param clock what the clock says, 0 if nobody asks
 */
record TickPartition(ArrayList<Told> told, long clock) implements InputPartition {
  /** What the tasks hear of a topic. */
  record Told(String topic, int partitions, long silence, long floor) implements Serializable {}

  PartitionReader<InternalRow> reader(IngestFactory program) {
    List<Tick> ticks = new ArrayList<>();
    told.forEach(t -> ticks.add(Tick.ofTopic(program.topics().indexOf(t.topic), t.partitions, t.silence, t.floor)));
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
        // Nothing is held.
      }
    };
  }
}
