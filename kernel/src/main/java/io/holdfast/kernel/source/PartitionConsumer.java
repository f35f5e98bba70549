package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.kafka010.KafkaConfigUpdater;
import org.apache.spark.util.UninterruptibleThread;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A consumer of one partition that is reused by the next batch, with the records that it has prefetched.
 *
 * <p>Spark's own requests the ends of the log after every fetch. That discards prefetched records, and at the end of the log the answer waits
 * until the broker's wait for new records times out.
 */
final class PartitionConsumer implements AutoCloseable {
  final TopicPartition partition;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private List<ConsumerRecord<byte[], byte[]>> fetched = List.of();
  private int at;
  /** The offset of the next record, or one before it where the log has a gap. */
  private long position = -1;

  PartitionConsumer(TopicPartition partition, Map<String, Object> settings) {
    this.partition = partition;
    this.consumer = new KafkaConsumer<>(authenticated(settings));
    consumer.assign(Set.of(partition));
  }

  /** The settings with what Spark knows of delegation tokens. */
  static Map<String, Object> authenticated(Map<String, Object> settings) {
    var given = Map$.MODULE$.<String, Object>from(CollectionConverters.asScala(settings));
    return new KafkaConfigUpdater("executor", given).setAuthenticationConfigIfNeeded().build();
  }

  /** Continues at the offset. */
  void seek(long offset) {
    if (offset != position) {
      fetched = List.of();
      at = 0;
      position = offset;
      consumer.seek(partition, offset);
    }
  }

  long position() {
    return position;
  }

  /** The next record of those that were fetched, or null; it stays the next one until it is taken. */
  ConsumerRecord<byte[], byte[]> peek() {
    return at < fetched.size() ? fetched.get(at) : null;
  }

  void take() {
    position = fetched.get(at++).offset() + 1;
    if (at == fetched.size()) {
      fetched = List.of();
      at = 0;
      position = consumer.position(partition);
    }
  }

  /** Waits for records; there may be only a gap that was skipped. */
  void fetch(Duration longest) {
    Runnable poll = () -> fetched = consumer.poll(longest).records(partition);
    if (Thread.currentThread() instanceof UninterruptibleThread thread) {
      // A consumer that is interrupted cannot be used any more.
      thread.runUninterruptibly(() -> {
        poll.run();
        return null;
      });
    } else {
      poll.run();
    }
    if (fetched.isEmpty()) {
      position = consumer.position(partition);
    }
  }

  /** The first offset that is still there. */
  long earliest() {
    return consumer.beginningOffsets(Set.of(partition)).get(partition);
  }

  /** The offset after the last record. */
  long latest() {
    return consumer.endOffsets(Set.of(partition)).get(partition);
  }

  @Override
  public void close() {
    consumer.close(Duration.ZERO);
  }
}
