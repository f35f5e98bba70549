package io.holdfast.kernel.sink;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.records.OutputRow;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The progress of a query since this process started; Spark makes a new write for every epoch, so it is kept here. */
final class SinkProgress {
  private static final Map<String, SinkProgress> QUERIES = new ConcurrentHashMap<>();
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final byte[] EPOCH = "epoch".getBytes(StandardCharsets.US_ASCII);

  private final Map<String, Map<Integer, Long>> ends = new TreeMap<>();
  private final Map<String, TopicCounts> written = new TreeMap<>();
  private final Map<String, Long> reasons = new TreeMap<>();

  private final Map<String, Map<String, Long>> counters = new TreeMap<>();

  private boolean begun;

  private SinkProgress() {}

  static SinkProgress of(String queryId) {
    return QUERIES.computeIfAbsent(queryId, id -> new SinkProgress());
  }

  static void forget(String queryId) {
    QUERIES.remove(queryId);
  }

  /** Adds the ends of the changelogs at the start: once an epoch has ended, all records before them belong to ended epochs. */
  synchronized void begin(String endsJson) {
    if (begun || endsJson == null) {
      return;
    }
    begun = true;
    add(Marker.ends(endsJson));
  }

  private void add(Map<String, Map<Integer, Long>> more) {
    more.forEach((topic, offsets) -> {
      Map<Integer, Long> known = ends.computeIfAbsent(topic, name -> new TreeMap<>());
      offsets.forEach((partition, end) -> known.merge(partition, end, Math::max));
    });
  }

  synchronized void add(PartitionCommit delivered) {
    add(delivered.ends);
    delivered.reasons.forEach((reason, count) -> reasons.merge(reason, count, Long::sum));
    delivered.counters.forEach((kind, nodes) -> {
      Map<String, Long> known = counters.computeIfAbsent(kind, name -> new TreeMap<>());
      nodes.forEach((node, count) -> known.merge(node, count, OutputRow.merger(kind)));
    });
    delivered.written.forEach((topic, records) -> written.computeIfAbsent(topic, name -> new TopicCounts()).add(records));
  }

  synchronized Map<String, Long> reasons() {
    return new TreeMap<>(reasons);
  }

  /** How many records of each node were "late" or "skipped". */
  synchronized Map<String, Long> counted(String kind) {
    return new TreeMap<>(counters.getOrDefault(kind, Map.of()));
  }

  synchronized Map<String, Long> sent() {
    Map<String, Long> sent = new TreeMap<>();
    written.forEach((topic, records) -> sent.put(topic, records.records));
    return sent;
  }

  /** Everything that is counted and measured, as JSON: written, reasons, counters and latency. */
  synchronized String measured() {
    ObjectNode out = MAPPER.createObjectNode();
    out.set("written", MAPPER.valueToTree(sent()));
    out.set("reasons", MAPPER.valueToTree(reasons));
    out.set("counters", MAPPER.valueToTree(counters));
    ObjectNode latency = out.putObject("latency");
    written.forEach((topic, records) -> records.latency().describe(latency.putObject(topic)));
    return out.toString();
  }

  /**
   * The epoch record, from which readers of the changelogs know where the epoch ends.
   *
   * @param query whose epochs are counted: an app that begins again from nothing has another one
   * @param read how far the epoch read each topic
   * @param live whether further records belong to no epoch that one could wait for, as in real-time mode
   */
  synchronized OutputRow epochRecord(
      String topic, String query, long epoch, long at, Map<String, Map<Integer, Long>> read, boolean live) {
    ObjectNode value = MAPPER.createObjectNode().put("epoch", epoch).put("at", at).put("query", query);
    value.set("read", MAPPER.valueToTree(read));
    if (live) {
      value.put("live", true);
    }
    ObjectNode offsets = value.putObject("offsets");
    ends.forEach((changelog, partitions) -> {
      ObjectNode each = offsets.putObject(changelog);
      partitions.forEach((partition, end) -> each.put(partition.toString(), end));
    });
    byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
    return new OutputRow(topic, OutputRow.ANY, at, EPOCH, bytes, null, false);
  }
}
