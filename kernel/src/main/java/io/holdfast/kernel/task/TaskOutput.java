package io.holdfast.kernel.task;

import io.holdfast.kernel.records.DeliveryCheck;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.rows.BlockPacker;
import java.util.List;
import java.util.function.BiConsumer;

/** The output of a task: records for later stages, rows for the sink, and counters. */
final class TaskOutput {
  private final Task task;
  private final Program program;
  private final DeadLetters deadLetters;
  private final LateRecords lateRecords;
  private final Counters counters = new Counters();
  private BlockPacker rows = new BlockPacker(BlockPacker.NONE);

  TaskOutput(Task task) {
    this.task = task;
    this.program = task.program();
    this.deadLetters = new DeadLetters(program);
    this.lateRecords = new LateRecords(program);
  }

  /** Sets how large blocks of records may become. */
  void pack(int bytes) {
    rows = new BlockPacker(bytes);
  }

  BlockPacker rows() {
    return rows;
  }

  Counters counters() {
    return counters;
  }

  /** Forwards a record that is for a later stage. */
  void forward(byte[] bytes, int at, int length) {
    rows.add(task.label(), bytes, at, length);
  }

  /** Sends a row to the sink, caused by the given record. */
  void output(StreamRecord r, RowCodec keys, OutputRow row) {
    row.write(rows, program.stage() >= 0 ? task.label() : labelOf(r, keys));
  }

  private short labelOf(StreamRecord r, RowCodec keys) {
    TaskLabels tasks = program.tasks();
    return r.key == null
        ? tasks.labelOf(Order.topic(r.order), Order.partition(r.order))
        : tasks.labelOf(task.keyBytes(r, keys), tasks.count());
  }

  void deadLetter(Node node, StreamRecord r, String reason) {
    if (Order.hasSource(r.order) && isLetter(program.topics().get(Order.topic(r.order)))) {
      counters.add("skipped", node.id());
      return;
    }
    NodeSpec spec = spec(node);
    deadLetters.of(spec, r, reason).write(rows, labelOf(spec, r));
  }

  /**
   * A dead letter goes to the sink partition of its record's output, so that both are in one transaction: whether a record is refused may
   * depend on a clock or on the limits of a topic, and an epoch that is repeated may decide otherwise.
   */
  private short labelOf(NodeSpec spec, StreamRecord r) {
    return program.stage() >= 0 ? task.label() : labelOf(r, task.codec(program.types().get(spec.inputOf(r)).key()));
  }

  void deadLetter(String source, String at, boolean fail, RawRecord raw, String reason) {
    writeByPartition(source, raw, deadLetters.of(source, at, fail, raw, reason));
  }

  void deadLetterReplayed(String at, ReplayedRecord replayed, String reason) {
    writeByPartition(replayed.node(), replayed.record(), deadLetters.of(at, replayed, reason));
  }

  void late(Node node, StreamRecord r, String topic, long start, long end, long streamTime) {
    counters.add("late", node.id());
    if (topic == null && !lateRecords.areWatched()) {
      return;
    }
    OutputRow row = lateRecords.of(spec(node), r, topic, start, end, streamTime);
    String refusal = topic == null ? null : DeliveryCheck.refusal(row, task.limit(topic));
    if (refusal != null) {
      deadLetter(node, r, "it is late, and " + refusal);
    } else if (topic != null) {
      row.write(rows, task.label());
    }
    lateRecords.show(spec(node).inputOf(r), row);
  }

  private NodeSpec spec(Node node) {
    return program.nodes().stream().filter(s -> s.id.equals(node.id())).findFirst().orElseThrow();
  }

  void watchLate(BiConsumer<String, OutputRow> watcher) {
    lateRecords.watch(watcher);
  }

  /** Writes the dead letter of a record that could not be decoded to the task of the records of its partition. */
  private void writeByPartition(String node, RawRecord raw, OutputRow row) {
    if (isLetter(raw.topic())) {
      counters.add("skipped", node);
      return;
    }
    row.write(rows, program.tasks().labelOf(program.topics().indexOf(raw.topic()), raw.partition()));
  }

  /** Whether the topic is that of the dead letters: a dead letter of a dead letter would come back here for ever. */
  private boolean isLetter(String topic) {
    return topic.equals(program.deadLetters());
  }

  /** The end of a batch: all output that is left, and the counters. */
  List<byte[]> end() {
    short label = program.stage() < 0 ? program.tasks().label(0) : task.label();
    counters.flush(row -> row.write(rows, label));
    rows.flush();
    return rows.take();
  }

  /** All output that is left, without the counters. */
  List<byte[]> now() {
    rows.flush();
    return rows.take();
  }

  /** The output that need not wait for the end of the batch. */
  List<byte[]> more() {
    return rows.take();
  }

  void forget() {
    rows.clear();
    counters.forget();
  }
}
