package io.holdfast.kernel.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.holdfast.kernel.nodes.QueryableStore;
import io.holdfast.kernel.nodes.tables.VersionedTable;
import io.holdfast.kernel.plan.IngestRunner;
import io.holdfast.kernel.plan.Plan;
import io.holdfast.kernel.plan.PlanCompiler;
import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.records.Tick;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.rows.Block;
import io.holdfast.kernel.serde.BadRecord;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.source.IdleTopics;
import io.holdfast.kernel.stores.MemoryStore;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.InProcessCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs an app's nodes over stores in memory, one call one batch; nothing of Spark's streaming is started. */
public final class TestDriver {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final Plan plan;
  private IngestRunner ingest;
  private final Map<String, Long> counters = new HashMap<>();
  private final Map<String, Map<String, Long>> byNode = new TreeMap<>();
  private final List<Task> stages = new ArrayList<>();
  private final Map<String, MemoryStore> stores = new LinkedHashMap<>();
  private final Map<String, MemoryStore> before;
  private final Map<String, Long> offsets = new HashMap<>();
  private ArrayNode late = JSON.createArrayNode();
  private final List<String> printed = new ArrayList<>();
  private final Map<String, RawRecord> inputs = new HashMap<>();
  private final Map<String, Set<Integer>> partitions = new HashMap<>();
  private final IdleTopics idle;
  private final InProcessCalls python = new InProcessCalls();
  private final boolean limitsAhead;
  private long clock;
  private TopicLimits limits = TopicLimits.WITHOUT_KAFKA;
  private boolean doomed;
  private boolean draining;

  private TestDriver(Plan plan, long clock, boolean limitsAhead, Map<String, MemoryStore> before) {
    this.plan = plan;
    this.clock = clock;
    this.limitsAhead = limitsAhead;
    this.idle = new IdleTopics(plan.idle(), clock);
    this.before = before;
    open();
  }

  /**
   * @param limitsAhead whether records that are too far ahead of the clock are refused: not if the test did not set the clock
   */
  public static TestDriver open(String planJson, long clock, boolean limitsAhead) {
    return new TestDriver(PlanCompiler.compile(planJson), clock, limitsAhead, Map.of());
  }

  /** A driver of a changed plan on the committed state of this one, like a start on the app's checkpoint; stores that the plan does not have are dropped. */
  public TestDriver restarted(String planJson) {
    stores.values().forEach(MemoryStore::rollback);
    TestDriver next = new TestDriver(PlanCompiler.compile(planJson), clock, limitsAhead, stores);
    next.offsets.putAll(offsets);
    next.inputs.putAll(inputs);
    next.partitions.putAll(partitions);
    next.counters.putAll(counters);
    next.idle.resume(idle.arrivals());
    return next;
  }

  private void open() {
    ingest = new IngestRunner(plan.ingest());
    ingest.clock(() -> this.clock);
    ingest.limitAhead(limitsAhead);
    ingest.console(printed::add);
    ingest.python(python);
    ingest.limits(limits);
    stages.clear();
    for (Program program : plan.stages()) {
      stages.add(new Task(program, spec ->
          stores.computeIfAbsent(program.stage() + "/" + spec.state(), s -> before.getOrDefault(s, new MemoryStore()))));
      stages.get(stages.size() - 1).console(printed::add);
      stages.get(stages.size() - 1).python(python);
      stages.get(stages.size() - 1).limits(limits);
      stages.get(stages.size() - 1).watchLate((from, row) -> late.add(JsonRecords.json(row).put("from", from)));
    }
  }

  /** Sets how large records of topics may be. */
  public void limit(int bytes) {
    limits = TopicLimits.of(bytes);
    ingest.limits(limits);
    stages.forEach(stage -> stage.limits(limits));
  }

  /** Like {@link #pipe}, for a program with Python functions: {@link #next} returns their calls, and then the outputs. */
  public void begin(String batchJson) {
    python.begin(() -> pipe(batchJson));
  }

  /** Like {@link #clock}, in the same way. */
  public void beginClock(long now) {
    python.begin(() -> clock(now));
  }

  /** Like {@link #drain}, in the same way. */
  public void beginDrain() {
    python.begin(this::drain);
  }

  /** A call that waits for its answer, or the outputs as JSON. */
  public Object next() throws Throwable {
    return python.next();
  }

  public void answer(byte[] bytes) {
    python.answer(bytes);
  }

  /** Answers a question of the Python function that runs now. */
  public byte[] ask(byte[] question) {
    return python.ask(question);
  }

  /** Sets the wall clock, in milliseconds; returns the outputs like {@link #pipe}. */
  public String clock(long now) {
    clock = now;
    return idle.at(now).isEmpty() && !plan.wall() ? "[]" : batch(List.of());
  }

  /** The end of a drain: windows and timers close by the wall clock; returns the outputs like {@link #pipe}. */
  public String drain() {
    draining = true;
    try {
      return batch(List.of());
    } finally {
      draining = false;
    }
  }

  /** The lines that were printed since the last call, as a JSON array. */
  public String printed() {
    String lines = JSON.valueToTree(printed).toString();
    printed.clear();
    return lines;
  }

  /** The records that came after their window had closed since the last call, as a JSON array. */
  public String lateRecords() {
    String found = late.toString();
    late = JSON.createArrayNode();
    return found;
  }

  /** One batch of records, given and answered as JSON: [{topic, partition, timestamp, key, value, headers: [[name, value]]}], bytes in base64. */
  public String pipe(String batchJson) throws JsonProcessingException {
    List<RawRecord> records = new ArrayList<>();
    JSON.readTree(batchJson).forEach(r -> records.add(JsonRecords.raw(r, offsets)));
    records.forEach(this::note);
    return batch(records);
  }

  private void note(RawRecord r) {
    idle.arrived(r.topic(), clock);
    partitions.computeIfAbsent(r.topic(), t -> new HashSet<>()).add(r.partition());
    inputs.put(r.topic() + "/" + r.partition() + "/" + r.offset(), r);
  }

  private String batch(List<RawRecord> records) {
    if (doomed) {
      doomed = false;
      ArrayNode before = late.deepCopy();
      attempt(records);
      late = before;
      crash();
    }
    List<byte[]> rows = attempt(records);
    stores.values().forEach(MemoryStore::commit);
    return outputs(rows).toString();
  }

  /** Runs a batch without a commit; returns its output rows. */
  private List<byte[]> attempt(List<RawRecord> records) {
    List<byte[]> rows = new ArrayList<>();
    try {
      ingest.run(records, rows::add);
      ingest.finish(rows::add);
      ingest.close();
      tick(rows);
      for (Task stage : stages) {
        rows = run(stage, rows);
      }
    } catch (Exception | Error failure) {
      crash();
      throw failure;
    }
    return rows;
  }

  /** Adds the ticks that the source would send. */
  private void tick(List<byte[]> rows) {
    Map<String, Long> found = idle.at(clock);
    List<Tick> ticks = new ArrayList<>();
    plan.idle().keySet().forEach(topic -> ticks.add(tick(topic, found.getOrDefault(topic, -1L))));
    if (plan.wall()) {
      ticks.add(Tick.ofClock(clock));
    }
    if (!ticks.isEmpty() && !stages.isEmpty()) {
      plan.ingest().labels().forEach(label -> rows.add(Tick.encode(label, ticks)));
    }
  }

  private Tick tick(String topic, long idleFor) {
    int number = plan.ingest().topics().indexOf(topic);
    int count = partitions.getOrDefault(topic, Set.of()).size();
    return draining ? Tick.drained(number, count, clock) : Tick.ofTopic(number, count, idleFor);
  }

  private List<byte[]> run(Task stage, List<byte[]> rows) {
    Map<Short, List<byte[]>> byTask = new TreeMap<>();
    rows.forEach(row -> byTask.computeIfAbsent(Block.label(row), l -> new ArrayList<>()).add(row));
    List<byte[]> out = new ArrayList<>();
    byTask.forEach((label, mine) -> {
      stores.values().forEach(s -> s.use(label));
      stage.begin(label);
      mine.forEach(stage::accept);
      out.addAll(stage.run());
    });
    return out;
  }

  private boolean counted(OutputRow row) {
    if (row.counted() != null) {
      long count = Long.parseLong(utf8(row.value));
      counters.merge(row.counted(), count, Long::sum);
      byNode.computeIfAbsent(row.counted(), kind -> new TreeMap<>()).merge(utf8(row.key), count, OutputRow.merger(row.counted()));
    }
    return row.counted() != null;
  }

  private ArrayNode outputs(List<byte[]> rows) {
    ArrayNode out = JSON.createArrayNode();
    for (byte[] payload : rows) {
      OutputRow row = recalled(OutputRow.decode(payload, Short.BYTES, payload.length - Short.BYTES));
      if (row.changelog || counted(row)) {
        continue;
      }
      out.add(JsonRecords.json(row));
    }
    return out;
  }

  /** Fills in the source record that the sink would read again from Kafka. */
  private OutputRow recalled(OutputRow row) {
    if (!row.recall) {
      return row;
    }
    RawRecord original = inputs.get(row.header(HeaderNames.TOPIC) + "/" + row.header(HeaderNames.PARTITION) + "/" + row.header(HeaderNames.OFFSET));
    return row.recalled(
        original.key(), original.value(), original.headers() == null ? List.of() : List.of(original.headers()));
  }

  /** Everything that was counted so far as JSON, by kind and node. */
  public String measured() {
    return JSON.valueToTree(byNode).toString();
  }

  /** How many records operations have skipped so far. */
  public long skipped() {
    return counters.getOrDefault("skipped", 0L);
  }

  /** How many records came after their window had closed, so far. */
  public long late() {
    return counters.getOrDefault("late", 0L);
  }

  /** How many entries all stores have together, also those that only the nodes themselves read. */
  public long entries() {
    long[] n = {0};
    stores.values().forEach(store -> store.forEach((group, key, value) -> n[0]++));
    return n[0];
  }

  /** Simulates a crash: only committed state is left. */
  public void crash() {
    stores.values().forEach(MemoryStore::rollback);
    open();
  }

  /** Makes the next batch crash before its commit; then it is run again. */
  public void crashInNextBatch() {
    doomed = true;
  }

  /** The entries of a store as JSON lines of [key, value], in no order. */
  public String store(String name) {
    NodeSpec spec = plan.nodes().values().stream()
        .filter(s -> s.store() != null && name.equals(s.store().name())).findFirst().orElseThrow();
    QueryableStore node = (QueryableStore) stages.get(spec.stage).node(spec.id);
    Serde key = Serdes.json(spec.storeKey());
    Serde value = Serdes.json(spec.storeValue());
    Map<String, String> entries = new LinkedHashMap<>();
    MemoryStore store = stores.get(spec.stage + "/" + spec.store().state());
    store.forEach((group, k, v) ->
        node.stored(group, k, v, (seen, of) -> entries.put(utf8(key.encode(seen)), utf8(value.encode(of)))));
    StringBuilder out = new StringBuilder("[");
    entries.forEach((k, v) -> out.append(out.length() > 1 ? "," : "").append('[').append(k).append(',').append(v).append(']'));
    return out.append(']').toString();
  }

  /** The versions of a key of a versioned store as JSON lines of [since, value], null for a delete. */
  public String versions(String name, String keyJson) throws BadRecord {
    NodeSpec spec = plan.nodes().values().stream()
        .filter(s -> s.store() != null && name.equals(s.store().name())).findFirst().orElseThrow();
    Object key = Serdes.json(spec.key).decode(keyJson.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    byte[] keyBytes = new RowCodec(spec.key).encode(key);
    Program program = plan.stages().get(spec.stage);
    short label = program.tasks().labelOf(keyBytes, program.tasks().count());
    stores.values().forEach(s -> s.use(label));
    Serde value = Serdes.json(spec.value);
    List<String> out = new ArrayList<>();
    ((VersionedTable) stages.get(spec.stage).node(spec.id)).history(keyBytes).forEach(version ->
        out.add("[" + version.timestamp() + "," + (version.value() == null ? "null" : utf8(value.encode(version.value()))) + "]"));
    return out.toString();
  }

  private static String utf8(byte[] bytes) {
    return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
  }
}
