package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the records of an {@link EpochLog} from which no run can continue: a checkpoint that ends with such an epoch needs input that Kafka
 * has deleted. So the log has the retention of the input.
 */
final class EpochRetention {
  private static final Logger LOG = LoggerFactory.getLogger(EpochRetention.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private final EpochTopic topic;
  private final TopicPartition only;
  /** A log with this few records is not truncated. */
  private final long few;

  EpochRetention(EpochTopic topic, long few) {
    this.topic = topic;
    this.only = topic.partition();
    this.few = few;
  }

  /** Deletes the beginning of the log up to the first epoch from which a run can continue; returns where the log begins now. */
  long apply() {
    try (KafkaConsumer<byte[], byte[]> consumer = topic.consumer()) {
      consumer.assign(Set.of(only));
      long low = consumer.beginningOffsets(Set.of(only)).get(only);
      // The last records have the progress of the app, and always stay.
      long high = consumer.endOffsets(Set.of(only)).get(only) - few;
      if (high <= low) {
        return low;
      }
      EpochEnds newest = at(consumer, high);
      Map<TopicPartition, EpochTopic.Bounds> input = newest == null ? Map.of() : topic.bounds(newest.kafka(0).keySet());
      long begin = low;
      while (low < high) {
        long middle = (low + high) >>> 1;
        EpochEnds ends = at(consumer, middle);
        if (ends == null || isComplete(ends, input)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      if (low > begin) {
        delete(low);
      }
      return low;
    }
  }

  private static boolean isComplete(EpochEnds ends, Map<TopicPartition, EpochTopic.Bounds> input) {
    return ends.kafka(0).entrySet().stream().noneMatch(e -> input.containsKey(e.getKey()) && e.getValue() < input.get(e.getKey()).begin());
  }

  /** The first epoch at an offset or behind it. */
  private EpochEnds at(KafkaConsumer<byte[], byte[]> consumer, long offset) {
    long end = consumer.endOffsets(Set.of(only)).get(only);
    consumer.seek(only, offset);
    while (consumer.position(only) < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(only)) {
        EpochEnds ends = EpochEnds.of(record.value());
        if (ends != null && !ends.isStart()) {
          return ends;
        }
      }
    }
    return null;
  }

  private void delete(long before) {
    try (AdminSession session = AdminSession.open(topic.settings())) {
      session.admin().deleteRecords(Map.of(only, RecordsToDelete.beforeOffset(before))).all().get();
    } catch (ExecutionException notAllowed) {
      LOG.warn("the beginning of {} is not deleted, though no run can continue from it: {}", topic.name(), notAllowed.getCause().toString());
    } catch (InterruptedException stopped) {
      throw new org.apache.kafka.common.errors.InterruptException(stopped);
    }
  }
}
