package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.kafka010.KafkaExceptions;
import org.apache.spark.util.UninterruptibleThread;

/** A consumer of some partitions that continues from batch to batch. */
final class LiveConsumer {
  /** Idle consumers, by the query and the first of their partitions. */
  private static final Map<String, LiveConsumer> WAITING = new ConcurrentHashMap<>();
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private LivePartition partition;

  private LiveConsumer(LivePartition partition) {
    Map<String, Object> settings = new HashMap<>(partition.settings());
    // A reader hands on the records of one poll before the next.
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "2000");
    consumer = new KafkaConsumer<>(PartitionConsumer.authenticated(settings));
    consumer.assign(partition.from().keySet());
  }

  static LiveConsumer of(LivePartition partition) {
    LiveConsumer found = WAITING.remove(key(partition));
    if (found != null && !found.positions.keySet().equals(partition.from().keySet())) {
      found.close();
      found = null;
    }
    LiveConsumer out = found == null ? new LiveConsumer(partition) : found;
    out.begin(partition);
    return out;
  }

  private static String key(LivePartition partition) {
    return partition.query() + "/" + partition.from().keySet().stream().map(TopicPartition::toString).sorted().findFirst().orElse("");
  }

  private void begin(LivePartition next) {
    partition = next;
    // Prefetched records are used, unless the offset is another one.
    next.from().forEach((p, offset) -> {
      if (!offset.equals(positions.get(p))) {
        consumer.seek(p, offset);
      }
    });
    positions.putAll(next.from());
  }

  /** Waits for records. */
  ConsumerRecords<byte[], byte[]> poll(Duration longest) {
    try {
      return uninterrupted(longest);
    } catch (OffsetOutOfRangeException gone) {
      skip(gone);
      return ConsumerRecords.empty();
    }
  }

  /** Polls without interruption: a consumer that is interrupted cannot be used any more. */
  private ConsumerRecords<byte[], byte[]> uninterrupted(Duration longest) {
    if (Thread.currentThread() instanceof UninterruptibleThread thread) {
      return thread.runUninterruptibly(() -> consumer.poll(longest));
    }
    return consumer.poll(longest);
  }

  /** Whether a partition is known to have more records than were polled. */
  boolean hasMore(TopicPartition p) {
    return consumer.currentLag(p).orElse(0) > 0;
  }

  /** The end offsets of the partitions, as of the broker's last answer. */
  Map<TopicPartition, Long> ends() {
    Map<TopicPartition, Long> out = new HashMap<>();
    partition.from().keySet().forEach(p -> out.put(p, consumer.position(p) + consumer.currentLag(p).orElse(0)));
    return out;
  }

  private void skip(OffsetOutOfRangeException gone) {
    gone.offsetOutOfRangePartitions().forEach((p, offset) -> {
      if (partition.failOnDataLoss()) {
        throw KafkaExceptions.couldNotReadOffsetRange(offset, Long.MAX_VALUE, p, null, gone);
      }
      consumer.seekToBeginning(java.util.Set.of(p));
    });
  }

  /** The positions of the partitions, when all polled records have been handed on. */
  HashMap<TopicPartition, Long> positions() {
    partition.from().keySet().forEach(p -> positions.put(p, consumer.position(p)));
    return new HashMap<>(positions);
  }

  /** Makes the consumer available to the next batch. */
  void release() {
    LiveConsumer old = WAITING.put(key(partition), this);
    if (old != null) {
      old.close();
    }
  }

  void close() {
    consumer.close(Duration.ZERO);
  }

  /** Closes those of a query that has ended. */
  static void closeAll(String query) {
    WAITING.keySet().removeIf(key -> {
      if (!key.startsWith(query + "/")) {
        return false;
      }
      LiveConsumer found = WAITING.get(key);
      if (found != null) {
        found.close();
      }
      return true;
    });
  }
}
