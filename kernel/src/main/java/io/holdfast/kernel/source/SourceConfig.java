package io.holdfast.kernel.source;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The options of the source besides those of Spark's own Kafka source.
 *
 * @param query whose {@link AdmissionGate} it obeys
 * @param topics the topics; positions in the order refer to them by their index
 * @param tables those that are tables
 * @param maxRecords how many records a batch may take
 * @param maxBytes and how many bytes
 * @param idle topics of which the tasks get the time, and after how many milliseconds without records they are idle; 0: never
 * @param limits which times of records are refused, and do not advance the time of a topic
 * @param closing whether windows and timers close by the wall clock when a topic is idle, as at the end of a drain
 * @param wall whether tasks use the wall clock
 * @param stamped whether records take their time from the wall clock, or are compared with it
 * @param live the length of an epoch in real-time mode, in milliseconds
 * @param readers how many readers an epoch in real-time mode has at most
 * @param consumer settings of a Kafka consumer
 */
record SourceConfig(
    String query, List<String> topics, Set<String> tables, long maxRecords, long maxBytes, Map<String, Long> idle, TimeLimits limits, boolean closing,
    boolean wall, boolean stamped, long live, int readers, Map<String, Object> consumer) {
  private static final Set<String> OWN = Set.of("query", "tables", "maxrecords", "maxbytes", "idle", "maxahead", "closing", "wall", "stamped", "live", "readers");
  private static final String PREFIX = "kafka.";

  static boolean isOwn(String option) {
    return OWN.contains(option.toLowerCase(Locale.ROOT));
  }

  static SourceConfig of(CaseInsensitiveStringMap options) {
    Map<String, Object> consumer = new HashMap<>();
    options.asCaseSensitiveMap().forEach((name, value) -> {
      if (name.toLowerCase(Locale.ROOT).startsWith(PREFIX)) {
        consumer.put(name.substring(PREFIX.length()), value);
      }
    });
    return new SourceConfig(options.getOrDefault("query", ""), List.of(options.getOrDefault("subscribe", "").split(",")),
        Set.of(options.getOrDefault("tables", "").split(",")), options.getLong("maxRecords", 1_000_000),
        options.getLong("maxBytes", 128L << 20), times(options.getOrDefault("idle", "")),
        new TimeLimits(times(options.getOrDefault("maxAhead", ""))), options.getBoolean("closing", false),
        options.getBoolean("wall", false), options.getBoolean("stamped", false), options.getLong("live", 300_000), options.getInt("readers", 1), consumer);
  }

  /** Text of the form topic=5000,other=0. */
  private static Map<String, Long> times(String text) {
    Map<String, Long> out = new TreeMap<>();
    for (String entry : text.isEmpty() ? new String[0] : text.split(",")) {
      int at = entry.indexOf('=');
      out.put(entry.substring(0, at), Long.parseLong(entry.substring(at + 1)));
    }
    return out;
  }
}
