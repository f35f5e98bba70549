package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;
import org.apache.kafka.clients.producer.RecordMetadata;

/** The records of one epoch, without a transaction. */
final class KafkaOutbox extends AtLeastOnceOutbox {
  private final PartitionCommit delivered;

  KafkaOutbox(SinkConfig config, long epoch) {
    super(config.producer(), epoch);
    delivered = new PartitionCommit(config.query());
  }

  @Override
  void sent(OutputRow row) {
    delivered.note(row);
  }

  // The flush in commit makes its writes visible.
  @Override
  void arrived(OutputRow row, RecordMetadata metadata) {
    if (row.changelog) {
      delivered.changelog(row.topic, metadata.partition(), metadata.offset());
    }
  }

  @Override
  PartitionCommit delivered() {
    return delivered;
  }
}
