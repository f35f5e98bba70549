package io.holdfast.kernel.source;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/**
 * Batches in real-time mode, which end by the clock: each reader gets some partitions of the topics and waits for records.
 *
 * <p>Spark would end a reader between two payloads of one record. So it gets no end of the batch, and the readers end by themselves.
 */
final class LiveStream {
  private static final long PARKED_MILLIS = 10;
  private final SourceConfig config;
  private final TickSchedule ticks;

  LiveStream(SourceConfig config, TickSchedule ticks) {
    this.config = config;
    this.ticks = ticks;
  }

  /** While the gate is closed no batch begins, so that the query can be stopped. */
  void parkWhileClosed() {
    while (AdmissionGate.isClosed(config.query())) {
      AdmissionGate.park(config.query());
      try {
        Thread.sleep(PARKED_MILLIS);
      } catch (InterruptedException stopped) {
        throw new UncheckedIOException(new InterruptedIOException("the query was stopped"));
      }
    }
  }

  /**
   * Distributes the partitions of the topics over a fixed number of readers, and adds one for ticks.
   *
   * @param arrived when a record last came to the topics
   */
  InputPartition[] partitions(InputPartition[] ranges, Map<String, Long> arrived) {
    long until = System.currentTimeMillis() + config.live();
    int readers = Math.max(1, Math.min(config.readers(), ranges.length));
    List<HashMap<TopicPartition, Long>> dealt = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      dealt.add(new HashMap<>());
    }
    KafkaBatchInputPartition any = null;
    for (int i = 0; i < ranges.length; i++) {
      any = (KafkaBatchInputPartition) ranges[i];
      dealt.get(i % readers).put(any.offsetRange().topicPartition(), any.offsetRange().fromOffset());
    }
    List<InputPartition> out = new ArrayList<>();
    for (HashMap<TopicPartition, Long> from : dealt) {
      out.add(new LivePartition(config.query(), from, config.tables(), config.limits(), any.executorKafkaParams(), any.failOnDataLoss(), any.includeHeaders(), until));
    }
    out.add(ticks.live(all(dealt), arrived, any.executorKafkaParams(), until));
    return out.toArray(InputPartition[]::new);
  }

  private static HashMap<TopicPartition, Long> all(List<? extends Map<TopicPartition, Long>> dealt) {
    HashMap<TopicPartition, Long> all = new HashMap<>();
    dealt.forEach(all::putAll);
    return all;
  }
}
