package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Output rows as Kafka's records. */
final class ProducerRecords {
  private ProducerRecords() {}

  /** The epoch header of changelog records. */
  static Headers epoch(long epoch) {
    return new RecordHeaders().add(HeaderNames.EPOCH, Long.toString(epoch).getBytes(StandardCharsets.US_ASCII));
  }

  static ProducerRecord<byte[], byte[]> of(OutputRow row, Headers epoch, Producer<byte[], byte[]> producer) {
    Integer partition = row.partition == OutputRow.ANY ? null : row.partition;
    if (row.byHash) {
      partition = row.partition % producer.partitionsFor(row.topic).size();
    }
    Long timestamp = row.timestamp < 0 ? null : row.timestamp;
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(row.topic, partition, timestamp, row.key, row.value, row.changelog ? epoch : null);
    if (row.headers != null) {
      for (RawHeader header : row.headers) {
        record.headers().add(header.name(), header.value());
      }
    }
    return record;
  }
}
