package io.holdfast.kernel.source;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.records.RawRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.KafkaExceptions;

/**
 * The records of a range of a Kafka partition.
 *
 * <p>Compaction and transactions leave gaps in the offsets; for records that were deleted unread the broker refuses the offset.
 */
final class KafkaRecords implements AutoCloseable {
  private static final Duration ONE_WAIT = Duration.ofSeconds(1);
  private final KafkaBatchInputPartition range;
  private final Map<String, Object> settings;
  private final PartitionConsumer consumer;
  private final long end;
  private boolean failed;
  private long lost;
  private long losses;

  KafkaRecords(KafkaBatchInputPartition range) {
    this.range = range;
    this.settings = range.executorKafkaParams();
    this.end = range.offsetRange().untilOffset();
    this.consumer = ConsumerPool.take(range.offsetRange().topicPartition(), settings);
    consumer.seek(range.offsetRange().fromOffset());
  }

  /** The next record, or null at the end. */
  RawRecord next() {
    ConsumerRecord<byte[], byte[]> record = consumer.peek();
    if (record == null) {
      record = fetched();
    }
    if (record == null || record.offset() >= end) {
      return null;
    }
    consumer.take();
    return new RawRecord(record.topic(), record.partition(), record.offset(), record.timestamp(), record.key(),
        record.value(), range.includeHeaders() ? headers(record) : null);
  }

  private ConsumerRecord<byte[], byte[]> fetched() {
    failed = true;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(range.pollTimeoutMs());
    while (consumer.position() < end && consumer.peek() == null) {
      long before = consumer.position();
      try {
        consumer.fetch(ONE_WAIT);
      } catch (OffsetOutOfRangeException gone) {
        skip(gone);
      }
      if (consumer.peek() == null && consumer.position() == before && System.nanoTime() > deadline) {
        throw new TimeoutException("Kafka gave no record of " + consumer.partition + " from offset " + before + " on in "
            + range.pollTimeoutMs() + " ms, though there are some up to " + end);
      }
    }
    failed = false;
    return consumer.peek();
  }

  /** Continues behind lost records, if that is allowed. */
  private void skip(OffsetOutOfRangeException gone) {
    long from = consumer.position();
    if (range.failOnDataLoss()) {
      throw KafkaExceptions.couldNotReadOffsetRange(from, end, consumer.partition, null, gone);
    }
    long earliest = consumer.earliest();
    long next = from < earliest && earliest < end ? earliest : from < consumer.latest() && from >= earliest ? from : end;
    lost += next - from;
    losses++;
    consumer.seek(next);
  }

  static RawHeader[] headers(ConsumerRecord<byte[], byte[]> record) {
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
    return new CustomTaskMetric[] {new Metric("offsetOutOfRange", lost), new Metric("dataLoss", losses)};
  }

  private record Metric(String name, long value) implements CustomTaskMetric {}

  @Override
  public void close() {
    if (failed) {
      ConsumerPool.close(consumer);
    } else {
      ConsumerPool.giveBack(consumer, settings);
    }
  }
}
