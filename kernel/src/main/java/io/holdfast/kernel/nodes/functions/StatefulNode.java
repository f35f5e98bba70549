package io.holdfast.kernel.nodes.functions;

import io.holdfast.kernel.nodes.Changelog;
import io.holdfast.kernel.nodes.QueryableStore;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.nodes.functions.StatefulCall.Kind;
import io.holdfast.kernel.serde.BadRecord;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.PythonCalendar;
import io.holdfast.kernel.workers.PythonFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;

/**
 * Runs a Python function with a state and timers for each key.
 *
 * <p>Records go to Python in order, with the states of their keys and of keys whose timers become due; each key is read and written once per
 * batch. Python runs the function record by record, so that timers fire where time advances, whatever else is in the batch.
 */
public final class StatefulNode extends Node implements QueryableStore {
  /** Further parts of the store: the indexes of event-time and of wall-clock timers. */
  public static final String TIME = "time";
  public static final String WALL = "wall";

  private static final int MOST_RECORDS = 10_000;
  private static final long MOST_BYTES = 16L << 20;
  private final PythonFunction function;
  private final DataType keyType;
  private final DataType eventType;
  private final DataType result;
  private final RowCodec keyCodec;
  private final PythonCalendar calendar;
  private final Serde shown;
  private final KeyValueStore store;
  private final Changelog changelog;
  private final StateLimit limit;
  private final StreamTime time;
  private final KeyTimers events;
  private final KeyTimers wall;
  private final Map<Bytes, KeyState> batch = new LinkedHashMap<>();
  private int calls;
  /** How many records ticks have caused in this batch. */
  private int ticked;

  public StatefulNode(NodeSpec spec, Task task, PythonFunction function, DataType event) {
    super(spec.id);
    this.function = function;
    this.keyType = spec.key;
    this.eventType = event;
    this.result = spec.value;
    this.keyCodec = task.codec(spec.key);
    this.calendar = new PythonCalendar(spec.key);
    this.shown = Serdes.json(spec.storeValue());
    this.store = task.store(spec.store());
    this.changelog = Changelog.of(spec);
    this.limit = StateLimit.of(spec, task);
    KeyValueStore times = task.store(spec.store().part(TIME));
    this.time = new StreamTime(times);
    this.events = new KeyTimers(times, k -> k.event);
    this.wall = new KeyTimers(task.store(spec.store().part(WALL)), k -> k.wall);
  }

  @Override
  protected void run(List<StreamRecord> records) {
    batch.clear();
    ticked = 0;
    if (records.isEmpty()) {
      return;
    }
    load();
    StatefulCall call = newCall();
    for (StreamRecord r : records) {
      KeyState key = entry(r);
      if (key == null) {
        continue;
      }
      call.add(r, key);
      if (call.records.size() == MOST_RECORDS || call.size() > MOST_BYTES) {
        exchange(call, latest(call), Kind.USUAL);
        call = newCall();
      }
    }
    if (!call.records.isEmpty()) {
      exchange(call, latest(call), Kind.USUAL);
    }
    save();
  }

  /** The state of a record's key; null if it can have no state, and the record is a dead letter. */
  private KeyState entry(StreamRecord r) {
    byte[] key = r.key == null ? null : task.keyBytes(r, keyCodec);
    String wrong = key == null ? "the key is null; a state belongs to a key" : wrong(r, key);
    if (wrong != null) {
      task.deadLetter(this, r, wrong);
    }
    return wrong == null ? entry(key) : null;
  }

  private String wrong(StreamRecord r, byte[] key) {
    String wrong = calendar.wrong("key", r.key);
    return wrong != null || limit == null ? wrong : limit.keyRefusal(r.key, key, r.timestamp);
  }

  private static long latest(StatefulCall call) {
    return call.records.stream().mapToLong(r -> r.timestamp).max().orElse(Long.MIN_VALUE);
  }

  @Override
  protected void tick(long to) {
    load();
    if (to > time.now()) {
      exchange(newCall(), to, Kind.USUAL);
    }
    save();
  }

  /** All timers fire that are due by the wall clock, those that repeat once; stream time stays what it is. */
  @Override
  protected void drain(long now) {
    load();
    long before = time.now();
    if (now > before) {
      exchange(newCall(), now, Kind.DRAIN);
      time.reset(before);
    }
    save();
  }

  @Override
  protected void wallTick(long now) {
    load();
    StatefulCall call = newCall();
    wall.upTo(now, this::entry).forEach(call::need);
    if (!call.keys.isEmpty()) {
      exchange(call, time.now(), Kind.CLOCK);
    }
    long next = wall.first();
    if (next != KeyState.NEVER) {
      task.wake(this, next);
    }
    save();
  }

  private StatefulCall newCall() {
    return new StatefulCall(calls++, keyType, eventType);
  }

  private void load() {
    time.load();
    events.load();
    wall.load();
  }

  private void save() {
    for (KeyState key : batch.values()) {
      if (key.changed) {
        write(key);
      }
    }
    time.save();
    events.flush();
    wall.flush();
  }

  private void write(KeyState key) {
    key.changed = false;
    byte[] stored = key.stored();
    if (stored == null) {
      store.remove(key.keyBytes);
    } else {
      store.put(key.keyBytes, stored);
    }
    if (key.publish() && changelog != null) {
      task.output(changelog.document(key.key, key.state, Math.max(0, key.touched)));
    }
  }

  private KeyState entry(byte[] key) {
    return batch.computeIfAbsent(new Bytes(key), k -> KeyState.of(key, keyCodec.decode(key), store.get(key)));
  }

  /** Calls Python with records and keys, and applies the answer. */
  private void exchange(StatefulCall call, long reach, Kind kind) {
    long before = time.now();
    events.upTo(time.observe(reach), this::entry).forEach(call::need);
    if (call.keys.isEmpty()) {
      return;
    }
    int most = limit == null ? StatefulCall.NO_LIMIT : limit.most(call.longestKey());
    byte[] arguments = call.encode(most, before, time.now(), task.wallTime(), kind);
    byte[] answered = task.python().call(function, arguments, question -> refusal(call, question));
    StatefulAnswer answer = new StatefulAnswer(answered, result);
    answer.update(call.keys, events, wall);
    send(call, answer);
    for (StatefulAnswer.Failure failure : answer.failures) {
      fail(call, failure);
    }
  }

  /** Why a state is too large; empty if it is not. The question begins with the number of its key. */
  private byte[] refusal(StatefulCall call, byte[] question) {
    int slot = ByteBuffer.wrap(question).order(ByteOrder.LITTLE_ENDIAN).getInt();
    String refusal = limit.documentRefusal(call.keys.get(slot).key, Arrays.copyOfRange(question, 4, question.length));
    return refusal == null ? new byte[0] : refusal.getBytes(StandardCharsets.UTF_8);
  }

  private void send(StatefulCall call, StatefulAnswer answer) {
    int fired = 0;
    int n = 0;
    int last = Integer.MIN_VALUE;
    for (int i = 0; i < answer.resultRecords.length; i++) {
      int record = answer.resultRecords[i];
      n = record == last ? n + 1 : 0;
      last = record;
      InternalRow row = answer.results.get(i);
      Object value = row.isNullAt(0) ? null : row.get(0, result);
      if (fired < answer.firedResults.length && answer.firedResults[fired] == i) {
        KeyState key = call.keys.get(answer.firedKeys[fired]);
        emit(new StreamRecord(order(call, record, n), answer.firedTimes[fired], key.key, value, null, null));
        fired++;
      } else {
        emit(call.records.get(record).withValue(value).at(order(call, record, n)));
      }
    }
  }

  private byte[] order(StatefulCall call, int record, int n) {
    return record == StatefulCall.NONE
        ? Order.emission(task.tickOrder(), ticked++)
        : Order.emission(call.records.get(record).order, n);
  }

  private void fail(StatefulCall call, StatefulAnswer.Failure failure) {
    if (failure.key() == StatefulCall.NONE) {
      task.deadLetter(this, call.records.get(failure.record()), failure.reason());
      return;
    }
    // A timer has no source record.
    Object key = call.keys.get(failure.key()).key;
    task.deadLetter(this, new StreamRecord(task.tickOrder(), failure.time(), key, null, null, null), failure.reason());
  }

  @Override
  public void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> visitor) {
    KeyState found = KeyState.of(key, keyCodec.decode(key), stored);
    if (found.state != null) {
      visitor.accept(found.key, shown(found.state));
    }
  }

  private Object shown(byte[] json) {
    try {
      return shown.decode(json);
    } catch (BadRecord bad) {
      throw new IllegalStateException("a state of " + id() + " cannot be read: " + bad.getMessage(), bad);
    }
  }
}
