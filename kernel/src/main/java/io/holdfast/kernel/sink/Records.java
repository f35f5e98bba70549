package io.holdfast.kernel.sink;

import io.holdfast.kernel.source.RawHeader;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/** Output rows as Kafka's records. */
final class Records {
  static final String EPOCH_HEADER = "hf-epoch";

  private Records() {}

  /** What changelog records say of the epoch. */
  static byte[] epoch(long epoch) {
    return Long.toString(epoch).getBytes(StandardCharsets.US_ASCII);
  }

  static ProducerRecord<byte[], byte[]> of(OutputRow row, byte[] epoch, Producer<byte[], byte[]> producer) {
    Integer partition = row.partition == OutputRow.ANY ? null : row.partition;
    if (row.byHash) {
      partition = row.partition % producer.partitionsFor(row.topic).size();
    }
    Long timestamp = row.timestamp < 0 ? null : row.timestamp;
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(row.topic, partition, timestamp, row.key, row.value);
    Headers headers = record.headers();
    if (row.headers != null) {
      for (RawHeader header : row.headers) {
        headers.add(header.name(), header.value());
      }
    }
    if (row.changelog) {
      headers.add(EPOCH_HEADER, epoch);
    }
    return record;
  }
}
