package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import org.apache.kafka.clients.producer.RecordMetadata;

/** The records of an epoch in real-time mode: acknowledged ones may be reported while it lasts. */
final class LiveOutbox extends AtLeastOnceOutbox {
  private final String app;
  private PartitionCommit delivered;

  LiveOutbox(SinkConfig config, long epoch) {
    super(config.producer(), epoch);
    app = config.query();
    delivered = new PartitionCommit(app);
  }

  @Override
  synchronized void arrived(OutputRow row, RecordMetadata metadata) {
    delivered.arrived(row, System.currentTimeMillis());
    if (row.changelog) {
      delivered.changelog(row.topic, metadata.partition(), metadata.offset());
    }
  }

  /** Returns the acknowledged records since the last call; the rest comes with the commit. */
  @Override
  synchronized PartitionCommit delivered() {
    PartitionCommit taken = delivered;
    delivered = new PartitionCommit(app);
    return taken;
  }
}
