package io.holdfast.kernel.sink;

import io.holdfast.kernel.source.KafkaLimits;
import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The options of the sink: settings of clients, the topic of epoch records and that of markers, null for none; the name of the query; as JSON,
 * the ends of the changelogs when the query was started; and whether it runs in real-time mode, where records are sent one by one.
 */
record SinkConfig(TreeMap<String, Object> producer, TreeMap<String, Object> consumer, String meta, String markers, String query, String ends,
    boolean live)
    implements Serializable {
  private static final String PREFIX = "kafka.";

  static SinkConfig of(CaseInsensitiveStringMap options) {
    TreeMap<String, Object> producer = new TreeMap<>();
    producer.put(ProducerConfig.ACKS_CONFIG, "all");
    producer.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    producer.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, KafkaLimits.COMPRESSION);
    boolean live = options.getBoolean("live", false);
    producer.put(ProducerConfig.LINGER_MS_CONFIG, live ? "0" : "5");
    if (live) {
      // Records that come during a request go with the next one: one by one at low rates, together at high ones.
      producer.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
    }
    producer.put(ProducerConfig.BATCH_SIZE_CONFIG, String.valueOf(256 << 10));
    producer.put(ProducerConfig.BUFFER_MEMORY_CONFIG, String.valueOf(64 << 20));
    producer.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, String.valueOf(KafkaLimits.MOST_BYTES));
    TreeMap<String, Object> consumer = new TreeMap<>();
    for (Map.Entry<String, String> option : options.asCaseSensitiveMap().entrySet()) {
      if (option.getKey().toLowerCase(Locale.ROOT).startsWith(PREFIX)) {
        producer.put(option.getKey().substring(PREFIX.length()), option.getValue());
        consumer.put(option.getKey().substring(PREFIX.length()), option.getValue());
      }
    }
    producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    return new SinkConfig(producer, consumer, options.get("meta"), options.get("markers"), options.get("query"), options.get("ends"), live);
  }
}
