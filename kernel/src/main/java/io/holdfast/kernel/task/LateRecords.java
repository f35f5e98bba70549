package io.holdfast.kernel.task;

import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.serde.Serdes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.sql.types.DataType;

/** Makes a row for the late topic of a record that came after its window had closed. */
final class LateRecords {
  private final Program program;
  private BiConsumer<String, OutputRow> watcher;

  LateRecords(Program program) {
    this.program = program;
  }

  OutputRow of(NodeSpec node, StreamRecord r, String topic, long start, long end, long streamTime) {
    List<RawHeader> headers = new ArrayList<>(r.headers == null ? List.of() : List.of(r.headers));
    headers.add(RawHeader.ofText(HeaderNames.TOPIC, Order.hasSource(r.order) ? program.topics().get(Order.topic(r.order)) : ""));
    headers.add(RawHeader.ofText(HeaderNames.PARTITION, Integer.toString(Order.partition(r.order))));
    headers.add(RawHeader.ofText(HeaderNames.OFFSET, Long.toString(Order.offset(r.order))));
    headers.add(RawHeader.ofText(HeaderNames.NODE, node.id));
    headers.add(RawHeader.ofText(HeaderNames.INPUT, node.inputOf(r)));
    headers.add(RawHeader.ofText(HeaderNames.WINDOW_START, Long.toString(start)));
    headers.add(RawHeader.ofText(HeaderNames.WINDOW_END, Long.toString(end)));
    headers.add(RawHeader.ofText(HeaderNames.STREAM_TIME, Long.toString(streamTime)));
    NodeTypes types = program.types().get(node.inputOf(r));
    return new OutputRow(topic, -1, Math.max(0, r.timestamp), bytes(types.key(), r.key), bytes(types.value(), r.value),
        headers.toArray(new RawHeader[0]), false);
  }

  boolean areWatched() {
    return watcher != null;
  }

  /** Registers who is shown each late record, with the node it came from. */
  void watch(BiConsumer<String, OutputRow> by) {
    watcher = by;
  }

  void show(String from, OutputRow row) {
    if (watcher != null) {
      watcher.accept(from, row);
    }
  }

  private static byte[] bytes(DataType type, Object value) {
    return value == null ? null : Serdes.defaultFor(type).encode(value);
  }
}
