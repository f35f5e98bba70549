package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Opens consumers without a group that commit nothing: the caller sets their positions. */
public final class UngroupedConsumers {
  private UngroupedConsumers() {}

  /**
   * @param reset what to do at an offset that is out of range: earliest, or none
   * @param more settings that win over the app's
   */
  public static KafkaConsumer<byte[], byte[]> open(Map<String, Object> settings, String reset, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(settings);
    config.remove(ConsumerConfig.GROUP_ID_CONFIG);
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, reset);
    config.putAll(more);
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
