package io.holdfast.kernel.task;

import io.holdfast.kernel.python.PythonCalls;
import io.holdfast.kernel.python.PythonTimes;
import io.holdfast.kernel.sink.OutputRow;
import io.holdfast.kernel.source.RawRecord;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.spark.sql.types.DataType;

/** The running nodes of one place. It serves one task at a time; whose turn it is, the stores know. */
public final class Task {
  private final Program program;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<Integer, Inlet> inlets = new HashMap<>();
  private final Map<DataType, RowCodec> codecs = new HashMap<>();
  private final Function<StoreSpec, KeyValueStore> stores;
  private final boolean rehearsing;
  private Rehearsal rehearsal;
  private final DeadLetters deadLetters;
  private final LateRecords lateRecords;
  private final Counters counters = new Counters();
  private Consumer<String> console = System.out::println;
  private final Outs outs;
  private List<byte[]> output = new ArrayList<>();
  private PythonCalls python;
  private short label;
  private final TimeNews time;
  private int ticked;
  private long latest = Long.MIN_VALUE;

  public Task(Program program, Function<StoreSpec, KeyValueStore> stores) {
    this(program, stores, null);
  }

  /** Without a rehearsal, what the nodes do is for good. */
  private Task(Program program, Function<StoreSpec, KeyValueStore> stores, Rehearsal rehearsal) {
    this.program = program;
    this.rehearsal = rehearsal;
    this.rehearsing = rehearsal != null;
    this.python = PythonTimes.timed(program.python());
    this.stores = stores;
    this.outs = new Outs(this);
    this.deadLetters = new DeadLetters(program);
    this.lateRecords = new LateRecords(program);
    boolean ticks = !program.ticking().isEmpty() && program.place() >= 0;
    this.time = new TimeNews(ticks ? new Clock(stores.apply(Program.CLOCK), program.topics()) : null);
    for (Spec spec : program.nodes()) {
      nodes.put(spec.id, spec.rehearses() && !rehearsing ? rehearsed(spec) : spec.open(this));
    }
    if (!rehearsing) {
      program.nodes().forEach(outs::wire);
    }
    for (Edge edge : program.edges().values()) {
      if (edge.place() == program.place()) {
        inlets.put(edge.id(), Inlet.of(edge, nodes.get(edge.target()), this));
      }
    }
  }

  /** A node, and an instance of it that goes through each batch before it; both share what they learn. */
  private Node rehearsed(Spec spec) {
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

  public Tasks tasks() {
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

  /** Whether what the nodes do here is without effect. */
  public boolean isRehearsing() {
    return rehearsing;
  }

  /** Forgets what the nodes have told. */
  void forgetOutput() {
    output.clear();
    counters.forget();
  }

  /** The table that a node of this place keeps or shows. */
  public TableReader table(String id) {
    return (TableReader) nodes.get(id);
  }

  public Node node(String id) {
    return nodes.get(id);
  }

  /** The record's key as bytes, worked out once. */
  public byte[] keyBytes(Rec r, RowCodec keys) {
    if (r.keyBytes == null) {
      r.keyBytes = keys.encode(r.key);
    }
    return r.keyBytes;
  }

  /** The keys that there are among the records, as bytes. */
  public List<byte[]> keysOf(List<Rec> records, RowCodec keys) {
    Set<Bytes> found = new HashSet<>();
    for (Rec r : records) {
      if (r.key != null) {
        found.add(new Bytes(keyBytes(r, keys)));
      }
    }
    return found.stream().map(Bytes::bytes).toList();
  }

  /** Says whose turn it is. */
  public void begin(short taskLabel) {
    label = taskLabel;
    time.begin();
  }

  /** Whose turn it is. */
  public short label() {
    return label;
  }

  public boolean isFirst() {
    return label == tasks().label(0);
  }

  /** Takes a row that came by an exchange; one that is meant for later is passed on. */
  public void accept(byte[] payload) {
    if (Tick.is(payload)) {
      hear(payload);
      return;
    }
    Inlet inlet = inlets.get(Envelope.edge(payload));
    if (inlet == null) {
      output.add(payload);
    } else {
      latest = Math.max(latest, Envelope.timestamp(payload));
      inlet.accept(payload);
    }
  }

  /** News of time; the tasks of the stages behind hear it, too. */
  private void hear(byte[] payload) {
    time.take(Tick.decode(payload));
    if (!program.last()) {
      output.add(payload);
    }
  }

  /** Runs all nodes on what they have, as the last of a batch, and gives what leaves this place. */
  public List<byte[]> run() {
    if (time.isEmpty()) {
      runPart();
    } else {
      runAndTick();
    }
    outs.flush();
    tellTime();
    PythonTimes.take().forEach((part, nanoseconds) -> counters.add("nanoseconds", part, nanoseconds));
    counters.flush(row -> output.add(row.encode(program.place() < 0 ? tasks().label(0) : label)));
    return takeOutput();
  }

  private void tellTime() {
    if (latest != Long.MIN_VALUE) {
      counters.time(program.place(), latest);
      latest = Long.MIN_VALUE;
    }
  }

  /** Runs all nodes on a part of a batch; what is combined before an exchange may wait for the rest. */
  public List<byte[]> runMore() {
    runPart();
    return takeOutput();
  }

  private void runPart() {
    for (Node node : nodes.values()) {
      node.runBatch();
    }
  }

  private void runAndTick() {
    for (ticked = 0; ticked < program.nodes().size(); ticked++) {
      Spec spec = program.nodes().get(ticked);
      Node node = nodes.get(spec.id);
      node.runBatch();
      time.tell(spec, node);
    }
    time.save();
  }

  /** What the clock says in this batch; Long.MIN_VALUE if the program does not ask. */
  public long wallTime() {
    return time.wall();
  }

  /** Asks for a batch when the clock says so; to be said in every batch in which the node waits for the clock. */
  public void wake(Node node, long time) {
    counters.wake(label, node.id(), time);
  }

  /** The place of what the node does whose {@link Node#tick} is being called. */
  public byte[] tickOrder() {
    return Order.ofTick(label, ticked);
  }

  private List<byte[]> takeOutput() {
    List<byte[]> out = output;
    output = new ArrayList<>();
    return out;
  }

  void output(byte[] payload) {
    output.add(payload);
  }

  /** Sends a row to the sink, in the wake of the given record. */
  public void output(Rec r, RowCodec keys, OutputRow row) {
    output.add(row.encode(outputLabel(r, keys)));
  }

  /** Sends a row of a stage to the sink. */
  public void output(OutputRow row) {
    output.add(row.encode(label));
  }

  private short outputLabel(Rec r, RowCodec keys) {
    if (program.place() >= 0) {
      return label;
    }
    return r.key == null
        ? tasks().labelOf(Order.topic(r.order), Order.partition(r.order))
        : tasks().labelOf(keyBytes(r, keys), tasks().count());
  }

  /** A record that cannot be processed goes to the dead letters, or stops the app if that is wanted. */
  public void deadLetter(Node node, Rec r, String reason) {
    if (Order.hasSource(r.order) && program.topics().get(Order.topic(r.order)).equals(program.deadLetters())) {
      // It lies among the dead letters already; another one would come back here for ever.
      skip(node, r);
      return;
    }
    beside(r.order, deadLetters.of(spec(node), r, reason));
  }

  /** A record that cannot be read goes there with its own bytes. */
  public void deadLetter(String source, String at, boolean fail, RawRecord raw, String reason) {
    beside(raw, deadLetters.of(source, at, fail, raw, reason));
  }

  /** What tells of a record goes where its partition's records go. */
  private void beside(RawRecord raw, OutputRow row) {
    output.add(row.encode(tasks().labelOf(program.topics().indexOf(raw.topic()), raw.partition())));
  }

  private void beside(byte[] order, OutputRow row) {
    output.add(row.encode(tasks().labelOf(Order.topic(order), Order.partition(order))));
  }

  /** Says where Python functions run. */
  public void python(PythonCalls calls) {
    python = PythonTimes.timed(calls);
  }

  public PythonCalls python() {
    return python;
  }

  /** Says where lines go that are to be seen. */
  public void console(Consumer<String> lines) {
    console = lines;
  }

  public void show(String line) {
    console.accept(line);
  }

  /** Hands a record to a node of this place. */
  public void accept(String node, Rec r) {
    nodes.get(node).accept(r, 0);
  }

  /** Hands a record to the node that had refused it, wherever that is. */
  public void acceptAgain(String node, int port, Program.Entrance entrance, Rec r) {
    if (entrance.edge() == null) {
      nodes.get(node).acceptAgain(r, port);
    } else {
      new Out.Exchange(program.edges().get(entrance.edge()), this).send(r);
    }
  }

  /** A record that came back and still cannot be read as the node wants it. */
  public void deadLetterAgain(String at, Replayed replayed, String reason) {
    beside(replayed.record(), deadLetters.of(at, replayed, reason));
  }

  /** A record that an operation has no use for, as Kafka Streams counts it. */
  public void skip(Node node, Rec r) {
    counters.add("skipped", node.id());
  }

  /**
   * A record that came after its window had closed: it is counted, and written to a topic if there is one for it.
   *
   * @param topic null if nobody wants it
   */
  public void late(Node node, Rec r, String topic, long start, long end, long streamTime) {
    counters.add("late", node.id());
    if (topic == null && !lateRecords.areWatched()) {
      return;
    }
    OutputRow row = lateRecords.of(spec(node), r, topic, start, end, streamTime);
    if (topic != null) {
      beside(r.order, row);
    }
    lateRecords.show(spec(node).inputOf(r), row);
  }

  /** Shows late records, with the node they came from, to somebody who wants to see each. */
  public void watchLate(BiConsumer<String, OutputRow> watcher) {
    lateRecords.watch(watcher);
  }

  private Spec spec(Node node) {
    return program.nodes().stream().filter(s -> s.id.equals(node.id())).findFirst().orElseThrow();
  }
}
