package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/** The end offsets of topics; if the broker does not answer, the next call tries again. */
final class TopicEnds implements AutoCloseable {
  private final Map<String, Object> settings;
  private final Duration timeout;
  private final BrokerWait brokerWait = new BrokerWait("the ends of the topics");
  private KafkaConsumer<byte[], byte[]> consumer;

  /**
   * @param timeout of a request: meanwhile no ticks are sent
   */
  TopicEnds(Map<String, Object> settings, Duration timeout) {
    this.settings = settings;
    this.timeout = timeout;
  }

  /** The offsets behind the last records; empty while Kafka does not answer. */
  Optional<Map<TopicPartition, Long>> of(Collection<TopicPartition> partitions) {
    if (consumer == null) {
      consumer = new KafkaConsumer<>(settings);
    }
    try {
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, timeout);
      brokerWait.over();
      return Optional.of(ends);
    } catch (RetriableException failure) {
      if (!brokerWait.explains(failure)) {
        throw failure;
      }
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    if (consumer != null) {
      consumer.close(Duration.ZERO);
    }
  }
}
