package io.holdfast.kernel.task;

import io.holdfast.kernel.records.DeliveryCheck;
import io.holdfast.kernel.records.ForeignRecords;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.records.Tick;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.rows.Block;
import io.holdfast.kernel.rows.BlockPacker;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.workers.PythonCalls;
import io.holdfast.kernel.workers.PythonTimes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.spark.sql.types.DataType;

/** The running nodes of one stage. It runs the tasks of the stage one at a time; the stores follow the current task. */
public final class Task {
  /** The epoch of a task whose records come in batches. */
  public static final long NOT_LIVE = -1;
  /** How many bits count the changes of an epoch; the others count epochs. */
  private static final int CHANGE_BITS = 36;
  private final Program program;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  /** By edge; null where an edge leads elsewhere. */
  private final EdgeInput[] edgeInputs;
  private final Map<DataType, RowCodec> codecs = new HashMap<>();
  private final Function<StoreSpec, KeyValueStore> stores;
  private final boolean rehearsing;
  private Rehearsal rehearsal;
  private final TaskOutput output;
  private Consumer<String> console = System.out::println;
  private final OutputWiring outs;
  private final Block.Reader reader = this::take;
  private PythonCalls python;
  private TopicLimits limits = TopicLimits.WITHOUT_KAFKA;
  private long liveEpoch = NOT_LIVE;
  private long changes;
  private short label;
  private final BatchTime time;
  private final NodeWork work;

  public Task(Program program, Function<StoreSpec, KeyValueStore> stores) {
    this(program, stores, null);
  }

  /** Without a rehearsal, writes and output of the nodes take effect. */
  private Task(Program program, Function<StoreSpec, KeyValueStore> stores, Rehearsal rehearsal) {
    this.program = program;
    this.rehearsal = rehearsal;
    this.rehearsing = rehearsal != null;
    this.python = PythonTimes.timed(program.python());
    this.stores = stores;
    this.outs = new OutputWiring(this);
    this.output = new TaskOutput(this);
    boolean ticks = !program.ticking().isEmpty() && program.stage() >= 0;
    this.time = new BatchTime(ticks ? new TopicClock(stores.apply(Program.CLOCK), program.topics()) : null);
    this.work = new NodeWork(program.nodes());
    for (NodeSpec spec : program.nodes()) {
      nodes.put(spec.id, spec.rehearses() && !rehearsing ? rehearsed(spec) : spec.open(this));
    }
    if (!rehearsing) {
      program.nodes().forEach(outs::wire);
    }
    this.edgeInputs = EdgeInput.all(this);
  }

  /** A node with a second instance of it that rehearses each batch; both share the answers. */
  private Node rehearsed(NodeSpec spec) {
    rehearsal = new Rehearsal(stores);
    Task stage = new Task(program.only(spec), rehearsal::overlaid, rehearsal);
    rehearsal.with(stage, stage.nodes.get(spec.id));
    Node node = spec.open(this).rehearsing(rehearsal);
    rehearsal = null;
    return node;
  }

  public Program program() {
    return program;
  }

  public TaskLabels tasks() {
    return program.tasks();
  }

  public RowCodec codec(DataType type) {
    return codecs.computeIfAbsent(type, RowCodec::new);
  }

  public KeyValueStore store(StoreSpec spec) {
    return rehearsal == null || rehearsing ? stores.apply(spec) : rehearsal.store(spec);
  }

  /** The rehearsals of the node that is being opened; null if it has none. */
  public Rehearsal rehearsal() {
    return rehearsal;
  }

  /** Whether writes and output of the nodes are discarded. */
  public boolean isRehearsing() {
    return rehearsing;
  }

  /** Forgets what the nodes have emitted. */
  void forgetOutput() {
    output.forget();
  }

  /** The table of a node of this stage. */
  public TableReader table(String id) {
    return (TableReader) nodes.get(id);
  }

  public Node node(String id) {
    return nodes.get(id);
  }

  /** The record's key as bytes, worked out once. */
  public byte[] keyBytes(StreamRecord r, RowCodec keys) {
    return keys.of(r);
  }

  /** Begins the batch of a task. */
  public void begin(short taskLabel) {
    label = taskLabel;
    time.begin();
  }

  /** The label of the current task. */
  public short label() {
    return label;
  }

  public boolean isFirst() {
    return label == tasks().label(0);
  }

  /** Sets how large the blocks of output may become; until then each record is a payload of its own. */
  public void pack(int bytes) {
    output.pack(bytes);
  }

  /** Takes a payload of an exchange; records for later stages are forwarded. */
  public void accept(byte[] payload) {
    Block.read(payload, reader);
  }

  private void take(byte[] bytes, int at, int length) {
    int edge = Envelope.edge(bytes, at);
    EdgeInput input = edge < edgeInputs.length ? edgeInputs[edge] : null;
    if (input != null) {
      time.see(input.accept(bytes, at, length));
    } else if (Tick.is(bytes, at)) {
      takeTick(bytes, at, length);
    } else {
      output.forward(bytes, at, length);
    }
  }

  /** Takes a tick and forwards it to the tasks of later stages. */
  private void takeTick(byte[] bytes, int at, int length) {
    time.take(Tick.decode(bytes, at, length));
    if (!program.last()) {
      output.forward(bytes, at, length);
    }
  }

  /** Runs all nodes at the end of a batch; returns the output of the stage. */
  public List<byte[]> run() {
    runAll();
    time.count(output.counters(), program.stage());
    work.count(output.counters());
    PythonTimes.take().forEach((part, nanoseconds) -> output.counters().add("nanoseconds", part, nanoseconds));
    return output.end();
  }

  /** The same without the counters, which wait for the next {@link #run}: in real-time mode there would be more counters than records. */
  public List<byte[]> runQuietly() {
    runAll();
    return output.now();
  }

  private void runAll() {
    if (time.isEmpty()) {
      runPart();
    } else {
      time.run(program.nodes(), nodes, work);
    }
    outs.flush();
    nodes.values().forEach(Node::release);
  }

  /** Runs all nodes on a part of a batch; what is combined before an exchange may wait for the rest of it. */
  public List<byte[]> runMore() {
    runPart();
    return output.more();
  }

  private void runPart() {
    nodes.forEach(work::run);
  }

  /** Sets the epoch of a batch in real-time mode, in which records come one by one; or {@link #NOT_LIVE}. */
  public void live(long epoch) {
    liveEpoch = epoch;
    changes = 0;
  }

  /** The epoch in real-time mode, or {@link #NOT_LIVE}. */
  public long liveEpoch() {
    return liveEpoch;
  }

  /** The number of a change, by which a later change is recognised that has overtaken it; batches are sorted and need none. */
  public long nextNumber() {
    return liveEpoch == NOT_LIVE ? StreamRecord.UNNUMBERED : (liveEpoch << CHANGE_BITS) + changes++;
  }

  /** The wall-clock time of this batch; Long.MIN_VALUE if the program does not use it. */
  public long wallTime() {
    return liveEpoch != NOT_LIVE && time.wall() == TopicClock.UNKNOWN ? System.currentTimeMillis() : time.wall();
  }

  /** Schedules a batch at a wall-clock time; must be called in every batch in which the node has wall-clock timers. */
  public void wake(Node node, long time) {
    output.counters().wake(label, node.id(), time);
  }

  /** The position of what the node emits whose {@link Node#tick} is being called. */
  public byte[] tickOrder() {
    return Order.ofTick(label, time.ticked());
  }

  /** The output rows of this stage. */
  BlockPacker rows() {
    return output.rows();
  }

  /** Sends a row to the sink, caused by the given record. */
  public void output(StreamRecord r, RowCodec keys, OutputRow row) {
    output.output(r, keys, row);
  }

  /** Fails if Kafka would refuse the row. */
  public void wantDeliverable(OutputRow row) {
    String refusal = DeliveryCheck.refusal(row, limit(row.topic));
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
  }

  /** Sends a row of a stage to the sink. */
  public void output(OutputRow row) {
    row.write(output.rows(), label);
  }

  /** Writes a dead letter for a record that cannot be processed, or stops the app if on_error says so. */
  public void deadLetter(Node node, StreamRecord r, String reason) {
    output.deadLetter(node, r, reason);
  }

  /** Writes a dead letter with the record's own bytes for a record that cannot be decoded. */
  public void deadLetter(String source, String at, boolean fail, RawRecord raw, String reason) {
    output.deadLetter(source, at, fail, raw, reason);
  }

  /** Sets the limits of topics. */
  public void limits(TopicLimits known) {
    limits = known;
  }

  /** The limits of a topic. */
  public TopicLimits.Limit limit(String topic) {
    return limits.of(topic);
  }

  /** Sets where Python functions run. */
  public void python(PythonCalls calls) {
    python = PythonTimes.timed(calls);
  }

  public PythonCalls python() {
    return python;
  }

  /** Sets where printed lines go. */
  public void console(Consumer<String> lines) {
    console = lines;
  }

  public void show(String line) {
    console.accept(line);
  }

  /** Hands a record to a node of this stage. */
  public void accept(String node, StreamRecord r) {
    nodes.get(node).accept(r, 0);
  }

  /** Hands a replayed record to the node that had refused it, in whichever stage that is. */
  public void acceptReplayed(String node, int port, Program.ReplayRoute route, StreamRecord r) {
    if (route.edge() == null) {
      nodes.get(node).acceptReplayed(r, port);
    } else {
      new Output.Exchange(program.edges().get(route.edge()), this).send(r);
    }
  }

  /** Writes a dead letter for a replayed record that the node cannot read. */
  public void deadLetterReplayed(String at, ReplayedRecord replayed, String reason) {
    output.deadLetterReplayed(at, replayed, reason);
  }

  /** A record in a topic of the app's own that the app did not write: counted, and logged once for each reason. */
  public void foreign(RawRecord raw, String reason) {
    output.counters().add("foreign", raw.topic());
    ForeignRecords.log(raw.topic(), raw.partition(), raw.offset(), reason);
  }

  /** Counts a record that an operation skips, as Kafka Streams does. */
  public void skip(Node node, StreamRecord r) {
    output.counters().add("skipped", node.id());
  }

  /**
   * Counts a late record, and writes it to the topic of late records if there is one.
   *
   * @param topic the topic of late records, or null
   */
  public void late(Node node, StreamRecord r, String topic, long start, long end, long streamTime) {
    output.late(node, r, topic, start, end, streamTime);
  }

  /** Registers who is shown each late record, with the node it came from. */
  public void watchLate(BiConsumer<String, OutputRow> watcher) {
    output.watchLate(watcher);
  }
}
