package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Records of a batch that may last: what has arrived may be asked for while it goes on. */
final class LiveOutbox extends AtLeastOnceOutbox {
  private PartitionCommit delivered = new PartitionCommit();

  LiveOutbox(Map<String, Object> settings, long epoch) {
    super(settings, epoch);
  }

  @Override
  synchronized void arrived(OutputRow row, RecordMetadata metadata) {
    delivered.arrived(row, System.currentTimeMillis());
    if (row.changelog) {
      delivered.changelog(row.topic, metadata.partition(), metadata.offset());
    }
  }

  /** Gives what has arrived since the last time; the rest comes with the commit. */
  @Override
  synchronized PartitionCommit delivered() {
    PartitionCommit taken = delivered;
    delivered = new PartitionCommit();
    return taken;
  }
}
