package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.OwnTopics;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** What one sink partition wrote in one epoch. */
final class PartitionCommit implements WriterCommitMessage {
  /** Changelog topic to partition to the offset after the last record. */
  final Map<String, Map<Integer, Long>> ends = new HashMap<>();
  /** By topic. */
  final Map<String, TopicCounts> written = new HashMap<>();

  /** Why records became dead letters, and how often; parts that vary from record to record are left out. */
  final Map<String, Long> reasons = new HashMap<>();

  /** Kind to node to number: records that were late, or skipped; and the stream time of each stage. */
  final Map<String, Map<String, Long>> counters = new HashMap<>();

  /** The name of the producer that wrote it; null if there was nothing to write. */
  String producer;

  private final String letters;

  /**
   * @param app whose dead letters have reasons; records in those of another app are output like any other
   */
  PartitionCommit(String app) {
    letters = OwnTopics.deadLetters(app);
  }

  private void reason(String reason) {
    String kind = reason.replaceAll("\"[^\"]*\"", "…").replaceAll("-?\\d[\\d.]*", "N");
    // A reason that still varies must not fill the memory.
    reasons.merge(reasons.size() < 100 || reasons.containsKey(kind) ? kind : "other", 1L, Long::sum);
  }

  /** Counts a row that was sent. */
  void note(OutputRow row) {
    written.computeIfAbsent(row.topic, topic -> new TopicCounts()).note(row.timestamp);
    if (row.topic.equals(letters) && row.header(HeaderNames.REASON) != null) {
      reason(row.header(HeaderNames.REASON));
    }
  }

  /** Counts a row that is durable now. */
  void arrived(OutputRow row, long now) {
    note(row);
    written.get(row.topic).committed(now);
  }

  /** Returns and removes the earliest wall-clock timer of the tasks. */
  long takeWake() {
    Map<String, Long> wakes = counters.remove(OutputRow.WAKE);
    return wakes == null ? Long.MAX_VALUE : wakes.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
  }

  void changelog(String topic, int partition, long offset) {
    ends.computeIfAbsent(topic, name -> new HashMap<>()).merge(partition, offset + 1, Math::max);
  }

  /** Called when all rows are durable. */
  void committed() {
    long now = System.currentTimeMillis();
    written.values().forEach(topic -> topic.committed(now));
  }
}
