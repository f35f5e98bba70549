package io.holdfast.kernel.nodes.processors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.JoinedBytes;
import io.holdfast.kernel.workers.PythonFunction;
import io.holdfast.kernel.workers.RowSize;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Runs processors that share stores: they get the records in order, in one call, with the entries of the records' keys.
 *
 * <p>Its own state is stream time and the schedules of the processors, as Python wrote them.
 */
public final class ProcessNode extends Node {
  private static final int MOST = 10_000;
  private static final int MOST_BYTES = 16 << 20;
  private static final byte[] SCHEDULES = {'s'};
  private static final ObjectMapper JSON = new ObjectMapper();
  private final NodeSpec spec;
  private final Plan plan;
  private final KeyValueStore own;
  private final StreamTime time;
  private List<ProcessorState> stores;
  private ProcessorRows rows;
  /** The punctuations that are scheduled, and when the first is due; null before the first call in this task. */
  private JsonNode scheduled;

  /**
   * The plan of the processors.
   *
   * @param stores the nodes of their stores
   * @param children the nodes that they forward to
   */
  public record Plan(PythonFunction function, List<String> stores, List<String> children) implements Serializable {}

  public ProcessNode(NodeSpec spec, Task task, Plan plan) {
    super(spec.id);
    this.spec = spec;
    this.plan = plan;
    this.own = task.store(spec.store());
    this.time = new StreamTime(own);
  }

  @Override
  protected void run(List<StreamRecord> records) {
    if (records.isEmpty()) {
      return;
    }
    begin();
    List<StreamRecord> batch = convertible(records);
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < batch.size(); i++) {
      bytes += RowSize.of(batch.get(i).value);
      if (i + 1 - from >= MOST || bytes >= MOST_BYTES || i + 1 == batch.size()) {
        callOnce(batch.subList(from, i + 1));
        from = i + 1;
        bytes = 0;
      }
    }
    time.save();
  }

  /** The records that can be converted to Python values; the others are dead letters. */
  private List<StreamRecord> convertible(List<StreamRecord> records) {
    List<StreamRecord> out = new ArrayList<>(records.size());
    for (StreamRecord r : records) {
      String wrong = rows.wrong(r);
      if (wrong == null) {
        out.add(r);
      } else {
        task.deadLetter(this, r, wrong);
      }
    }
    return out;
  }

  private void callOnce(List<StreamRecord> records) {
    call(records, question());
    records.forEach(r -> time.observe(r.timestamp));
  }

  /** Time has advanced without a record: punctuations that are due run after all records of the batch. */
  @Override
  protected void tick(long now) {
    begin();
    if (now > time.now()) {
      time.observe(now);
      if (scheduled != null && isDue("event", now)) {
        call(List.of(), question().put("tick", now));
      }
    }
    time.save();
  }

  /** Punctuations that are due by the wall clock run once: one that repeats would run as often as its interval fits between then and now. */
  @Override
  protected void drain(long now) {
    begin();
    long last = Long.MIN_VALUE;
    for (JsonNode each : scheduled == null ? List.<JsonNode>of() : scheduled.path("all")) {
      JsonNode due = each.path("due");
      if (each.path("clock").asText().equals("event") && due.isNumber() && due.asLong() <= now) {
        last = Math.max(last, due.asLong());
      }
    }
    tick(last);
  }

  /** The wall clock has advanced; processors that have never run in this task begin now, since they may only have wall-clock punctuations. */
  @Override
  protected void wallTick(long now) {
    begin();
    if (scheduled == null || isDue("wall", now)) {
      call(List.of(), question().put("rings", true));
    }
    JsonNode next = scheduled.path("first").path("wall");
    if (next.isNumber()) {
      task.wake(this, next.asLong());
    }
  }

  private void begin() {
    if (stores == null) {
      stores = plan.stores().stream()
          .map(id -> new ProcessorState((ProcessorStore) task.node(id), task.program().types().get(id))).toList();
      rows = new ProcessorRows(spec, task.program(), plan.children());
    }
    stores.forEach(store -> store.store().begin());
    time.load();
    byte[] stored = own.get(SCHEDULES);
    scheduled = stored == null ? null : json(stored);
  }

  private boolean isDue(String clock, long now) {
    JsonNode first = scheduled.path("first").path(clock);
    return first.isNumber() && first.asLong() <= now;
  }

  private ObjectNode question() {
    ObjectNode out = JSON.createObjectNode();
    if (time.now() != Long.MIN_VALUE) {
      out.put("now", time.now());
    }
    if (task.wallTime() != Long.MIN_VALUE) {
      out.put("wall", task.wallTime());
    }
    out.set("topics", JSON.valueToTree(task.program().topics()));
    out.set("scheduled", scheduled);
    out.set("limits", JSON.valueToTree(stores.stream().map(ProcessorState::limits).toList()));
    return out;
  }

  private void call(List<StreamRecord> records, ObjectNode head) {
    List<byte[]> parts = new ArrayList<>();
    parts.add(head.toString().getBytes(StandardCharsets.UTF_8));
    parts.addAll(rows.arguments(records));
    stores.forEach(store -> parts.add(store.known(records, spec, task)));
    List<byte[]> answer = JoinedBytes.split(task.python().call(plan.function(), JoinedBytes.join(parts), this::answerQuestion));
    JsonNode outcome = json(answer.get(0));
    if (outcome.hasNonNull("fatal")) {
      throw new KernelError(spec.id, spec.at, outcome.get("fatal").asText());
    }
    remember(outcome.get("scheduled"));
    for (int i = 0; i < stores.size(); i++) {
      stores.get(i).write(answer.get(1 + i));
    }
    outcome.get("failed").forEach(f -> task.deadLetter(this, records.get(f.get(0).asInt()), f.get(1).asText()));
    outcome.get("untimely").forEach(f -> untimely(f.get(0).asLong(), f.get(1).asText()));
    byte[] behind = Order.emission(task.tickOrder(), head.has("rings") ? 1 : 0);
    for (int i = 0; i < plan.children().size(); i++) {
      forward(records, behind, i, answer.get(1 + stores.size() + i));
    }
  }

  private void remember(JsonNode now) {
    if (!now.equals(scheduled)) {
      scheduled = now;
      own.put(SCHEDULES, now.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Emits what was forwarded to a child; what time alone has caused comes behind all records of the batch. */
  private void forward(List<StreamRecord> records, byte[] behind, int child, byte[] made) {
    int to = consumerOf(plan.children().get(child));
    for (InternalRow row : rows.forwarded(child, made)) {
      int at = row.getInt(ProcessorRows.AT);
      StreamRecord cause = at < 0 ? new StreamRecord(behind, 0, null, null, null, null) : records.get(at);
      byte[] order = Order.emission(cause.order, row.getInt(ProcessorRows.NUMBER));
      RawHeader[] headers = row.getBoolean(ProcessorRows.SAME)
          ? cause.headers : ReplayMark.chosen(cause.headers, ProcessorRows.headers(row));
      StreamRecord out = new StreamRecord(order, row.getLong(ProcessorRows.TIME), rows.key(child, row), rows.value(child, row), null, headers);
      if (row.getBoolean(ProcessorRows.INSIDE) && rows.isElsewhere(child, out, task)) {
        untimely(out.timestamp, plan.children().get(child) + ": a punctuation has forwarded a key that belongs to another task; "
            + "keys that change are declared: returns = (key type, value type)");
      } else {
        emitTo(to, out);
      }
    }
  }

  private int consumerOf(String child) {
    for (int i = 0; i < consumers(); i++) {
      if (consumer(i).id().equals(child)) {
        return i;
      }
    }
    throw new IllegalStateException(child);
  }

  /** Writes a dead letter for a punctuation that failed: it has no source record. */
  private void untimely(long when, String reason) {
    task.deadLetter(this, new StreamRecord(task.tickOrder(), when, null, null, null, null), reason);
  }

  /** Answers a request that the processors make while they run. */
  private byte[] answerQuestion(byte[] question) {
    List<byte[]> parts = JoinedBytes.split(question);
    JsonNode head = json(parts.get(0));
    ProcessorState store = stores.get(head.get("store").asInt());
    return switch (head.get("ask").asText()) {
      case "get" -> store.get(parts.get(1));
      case "fits" -> store.refusal(parts.get(1));
      default -> store.scan(head, parts.get(1));
    };
  }

  private static JsonNode json(byte[] text) {
    try {
      return JSON.readTree(text);
    } catch (IOException bad) {
      throw new UncheckedIOException(bad);
    }
  }
}
