package io.holdfast.kernel.task;

import io.holdfast.kernel.records.DeliveryCheck;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.rows.BlockPacker;
import java.util.List;
import java.util.function.BiConsumer;

/** What leaves a task: records for later stages, rows for the sink, and what was counted. */
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

  /** Says how large blocks of records may become. */
  void pack(int bytes) {
    rows = new BlockPacker(bytes);
  }

  BlockPacker rows() {
    return rows;
  }

  Counters counters() {
    return counters;
  }

  /** Passes on what is meant for somebody else. */
  void forward(byte[] bytes, int at, int length) {
    rows.add(task.label(), bytes, at, length);
  }

  /** Sends a row to the sink, in the wake of the given record. */
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
   * A letter goes where the output of its record would have gone, into one transaction with it: whether a record is refused may hang on a
   * clock or on the limits of a topic, and an epoch that is repeated may find otherwise.
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

  /** What tells of a record that could not be read goes where its partition's records go. */
  private void writeByPartition(String node, RawRecord raw, OutputRow row) {
    if (isLetter(raw.topic())) {
      counters.add("skipped", node);
      return;
    }
    row.write(rows, program.tasks().labelOf(program.topics().indexOf(raw.topic()), raw.partition()));
  }

  /** Whether what lies in the topic is among the dead letters already: another one would come back here for ever. */
  private boolean isLetter(String topic) {
    return topic.equals(program.deadLetters());
  }

  /** The end of a batch: all that there is to go. */
  List<byte[]> end() {
    short label = program.stage() < 0 ? program.tasks().label(0) : task.label();
    counters.flush(row -> row.write(rows, label));
    rows.flush();
    return rows.take();
  }

  /** All that there is to go but what was counted. */
  List<byte[]> now() {
    rows.flush();
    return rows.take();
  }

  /** What need not wait for the end of the batch. */
  List<byte[]> more() {
    return rows.take();
  }

  void forget() {
    rows.clear();
    counters.forget();
  }
}
