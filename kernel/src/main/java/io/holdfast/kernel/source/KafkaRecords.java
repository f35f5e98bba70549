package io.holdfast.kernel.source;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.consumer.KafkaDataConsumer;

/** The records of a range of a Kafka partition, from Spark's pooled consumer without a row in between. */
final class KafkaRecords implements AutoCloseable {
  private final KafkaBatchInputPartition range;
  private final KafkaDataConsumer consumer;
  private final long end;
  private long next;

  KafkaRecords(KafkaBatchInputPartition range) {
    this.range = range;
    this.next = range.offsetRange().fromOffset();
    this.end = range.offsetRange().untilOffset();
    this.consumer = KafkaDataConsumer.acquire(range.offsetRange().topicPartition(), range.executorKafkaParams());
  }

  /** The next record, or null at the end. */
  RawRecord next() {
    ConsumerRecord<byte[], byte[]> record =
        next < end ? consumer.get(next, end, range.pollTimeoutMs(), range.failOnDataLoss()) : null;
    if (record == null) {
      return null;
    }
    next = record.offset() + 1;
    return new RawRecord(record.topic(), record.partition(), record.offset(), record.timestamp(), record.key(),
        record.value(), range.includeHeaders() ? headers(record) : null);
  }

  private static RawHeader[] headers(ConsumerRecord<byte[], byte[]> record) {
    if (!record.headers().iterator().hasNext()) {
      return null;
    }
    List<RawHeader> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      headers.add(new RawHeader(header.key(), header.value()));
    }
    return headers.toArray(new RawHeader[0]);
  }

  CustomTaskMetric[] metrics() {
    return new CustomTaskMetric[] {
      new Metric("offsetOutOfRange", consumer.getNumOffsetOutOfRange()), new Metric("dataLoss", consumer.getNumDataLoss())
    };
  }

  private record Metric(String name, long value) implements CustomTaskMetric {}

  @Override
  public void close() {
    consumer.release();
  }
}
