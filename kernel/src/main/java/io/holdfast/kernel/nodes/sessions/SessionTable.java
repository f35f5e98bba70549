package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.Changelog;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.windows.TimedTable;
import io.holdfast.kernel.nodes.windows.WindowOptions;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * A table with a value per key and session, as Kafka Streams' KStreamSessionWindowAggregate: a record joins the sessions within a gap
 * of it, which are deleted, and the one that they have become is written.
 */
public final class SessionTable extends TimedTable {
  private static final Comparator<SessionEntry> CLOSING = Comparator.<SessionEntry>comparingLong(c -> c.end)
      .thenComparingLong(c -> c.start).thenComparing(c -> c.of.bytes, Arrays::compareUnsigned);
  private final WindowOptions options;
  private final Folder folder;
  private final RowCodec keys;
  private final SessionStore sessions;
  private final SessionClock clock;
  private final Changelog changelog;
  private final StateLimit limit;
  private final Set<SessionEntry> changed = new LinkedHashSet<>();
  private final List<SessionEntry> expired = new ArrayList<>();
  /** How many records the current record has caused so far. */
  private int emissions;

  public SessionTable(NodeSpec node, Task task, WindowOptions options, SessionTimes times) {
    super(node.id);
    this.options = options;
    this.limit = StateLimit.ofWindows(node, task);
    this.folder = LimitedFolder.open(options.folder(), node, task, limit);
    this.keys = task.codec(options.key());
    RowCodec states = new RowCodec(options.folder().state());
    this.sessions = new SessionStore(task.store(options.store()), keys, states, folder);
    this.clock = new SessionClock(
        task.store(options.store().part(WindowOptions.PART)), times, options.grace(), options.onClose(), node.recordInputs());
    this.changelog = Changelog.of(node);
  }

  @Override
  protected final void begin() {
    sessions.begin();
  }

  @Override
  protected final void load(List<StreamRecord> records) {
    clock.load();
    sessions.fetch(keys.keysOf(records));
  }

  @Override
  protected void tick(long time) {
    clock.load();
    if (time > clock.now()) {
      clock.observe(time);
      emissions = 0;
      pass(new StreamRecord(task.tickOrder(), time, null, null, null, null));
      finish();
    }
  }

  @Override
  protected long lastDue(long time) {
    clock.load();
    return clock.lastClosing(time, sessions::of);
  }

  @Override
  protected final void take(StreamRecord r) {
    long now = clock.observe(r.port(), r.timestamp);
    emissions = 0;
    try {
      join(r, now);
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
    }
    pass(r);
  }

  /** Adds the record to its session, or merges several sessions. */
  private void join(StreamRecord r, long now) {
    byte[] key = task.keyBytes(r, keys);
    if (limit != null) {
      limit.checkKey(r.key, key, r.timestamp);
    }
    KeySessions of = sessions.of(key, r.key);
    List<Session> found = of.found(r.timestamp, clock);
    long start = r.timestamp;
    long end = r.timestamp;
    for (Session s : found) {
      start = Math.min(start, s.start);
      end = Math.max(end, s.end);
    }
    if (clock.isLate(end, now)) {
      task.late(this, r, options.late(), start, end, now);
      return;
    }
    List<SessionEntry> joined = found.stream().map(s -> entry(of, s)).toList();
    SessionEntry made = entry(of, start, end);
    Object state = folder.add(merged(found, r), r);
    if (start != end) {
      found.forEach(of::remove);
      joined.forEach(e -> change(e, null, r));
    }
    put(of, new Session(start, end, state, headers(found, r), Long.MAX_VALUE, false), found);
    change(made, state, r);
    joined.forEach(this::discard);
  }

  /** Merges the states; copies, so that the sessions stay as they were if the record fails. */
  private Object merged(List<Session> found, StreamRecord r) {
    Object out = null;
    for (Session s : found) {
      out = folder.merge(out, found.size() == 1 ? s.state : sessions.copy(s.state), r);
    }
    return out;
  }

  /** The record's headers, with the mark of a replayed record before it; null unless final results are emitted. */
  private RawHeader[] headers(List<Session> found, StreamRecord r) {
    RawHeader[] out = options.onClose() ? r.headers : null;
    for (int i = 0; options.onClose() && i < found.size(); i++) {
      out = ReplayMark.carried(found.get(i).headers, out);
    }
    return out;
  }

  private void put(KeySessions of, Session made, List<Session> found) {
    Session same = of.find(made.start, made.end);
    made.nextDue = KeySessions.nextDue(found);
    if (same != null) {
      made.nextDue = Math.min(made.nextDue, KeySessions.nextDue(List.of(same)));
      of.remove(same);
    }
    clock.observeEnd(made.end);
    if (made.state == null) {
      return;
    }
    clock.schedule(of, made);
    of.put(made);
  }

  private void change(SessionEntry of, Object state, StreamRecord cause) {
    Entry e = of.entry;
    Object old = e.value;
    e.state = state;
    if (eachValue()) {
      e.value = state == null ? null : folder.valueOf(state);
    }
    changed.add(of);
    e.last = cause.at(nextOrder(cause));
    of.expired = false;
    if (options.readByOthers()) {
      e.version(e.last.order);
    }
    if (options.store().every()) {
      emit(of.change(old, e.value));
    } else if (options.onClose() && consumersWantEveryUpdate()) {
      emitToCopies(of.change(old, e.value));
    } else if (consumersWantEveryUpdate()) {
      emit(of.change(old, e.value), true);
    }
  }

  /** Drops an entry that was created and deleted within the batch: a session that grows with each record would leave one behind for each. */
  private void discard(SessionEntry e) {
    if (e.entry.state == null && !e.entry.existed && !options.readByOthers()) {
      changed.remove(e);
      e.of.drop(e);
    }
  }

  private boolean eachValue() {
    return options.store().every() || options.readByOthers() || consumersWantEveryUpdate();
  }

  private SessionEntry entry(KeySessions of, Session s) {
    return entry(of, s.start, s.end);
  }

  private SessionEntry entry(KeySessions of, long start, long end) {
    return of.entry(start, end, folder, eachValue() || hasConsumers());
  }

  /** The next position in the order for what a record, or the advance of time, causes. */
  private byte[] nextOrder(StreamRecord cause) {
    return Order.emission(cause.order, emissions++);
  }

  /**
   * Emits the sessions that have closed, then drops those that have expired: a result may be joined with this very table.
   */
  private void pass(StreamRecord cause) {
    List<TimeIndex.Due> all = clock.due();
    if (all.isEmpty()) {
      return;
    }
    List<SessionEntry> closed = new ArrayList<>();
    List<SessionEntry> ended = new ArrayList<>();
    for (TimeIndex.Due due : all) {
      KeySessions of = sessions.of(due.entry());
      for (Session s : of.live) {
        if (s.nextDue == due.time()) {
          look(of, s, closed, ended);
        }
      }
    }
    closed.sort(CLOSING);
    for (SessionEntry c : closed) {
      emit(new StreamRecord(nextOrder(cause), c.end, c.key(), folder.valueOf(c.entry.state), null, c.headers));
    }
    for (SessionEntry e : ended) {
      hide(e, cause);
      e.of.remove(e.of.find(e.start, e.end));
    }
  }

  /** Handles a session whose entry in the index is due. */
  private void look(KeySessions of, Session s, List<SessionEntry> closed, List<SessionEntry> ended) {
    of.changed = true;
    SessionEntry e = entry(of, s);
    if (clock.closes(s)) {
      s.emitted = true;
      e.headers = s.headers;
      closed.add(e);
    }
    if (clock.isExpired(s)) {
      // Another session of the key may have an entry at the same time: this one is handled once.
      s.nextDue = Long.MAX_VALUE;
      ended.add(e);
    } else {
      clock.scheduleNext(of, s);
    }
  }

  /** The expiry of a session is emitted to copies of the table only. */
  private void hide(SessionEntry e, StreamRecord cause) {
    e.expired = true;
    expired.add(e);
    byte[] order = nextOrder(cause);
    if (options.readByOthers()) {
      e.entry.deleted(order);
    }
    if (consumersWantEveryUpdate() && e.entry.value != null) {
      emitToCopies(new StreamRecord(order, e.end, e.key(), null, e.entry.value, cause.headers));
    }
  }

  @Override
  protected final void finish() {
    List<SessionEntry> inOrder = new ArrayList<>(changed);
    if (!options.store().every()) {
      inOrder.sort((a, b) -> Order.compare(a.entry.last.order, b.entry.last.order));
    }
    inOrder.forEach(this::finishEntry);
    expired.stream().filter(e -> e.expired && e.entry.existed).distinct().forEach(e -> writeChangelog(e, null));
    changed.clear();
    expired.clear();
    sessions.write();
    clock.save();
  }

  private void finishEntry(SessionEntry of) {
    Entry e = of.entry;
    if (!eachValue()) {
      e.value = e.state == null ? null : folder.valueOf(e.state);
    }
    if (!options.store().every() && !options.onClose() && hasConsumers() && !of.isNothing()) {
      emit(of.change(e.before, e.value), false);
    }
    if (!of.expired && !of.isNothing()) {
      writeChangelog(of, e.value);
    }
  }

  private void writeChangelog(SessionEntry e, Object value) {
    if (changelog != null) {
      task.output(changelog.row(e.key(), value, e.end));
    }
  }

  @Override
  public ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    InternalRow windowed = (InternalRow) key;
    KeySessions of = sessions.of(windowed.get(0, options.key()));
    return of.entry(WindowKeys.start(windowed), WindowKeys.end(windowed), folder, true).entry.asOf(order);
  }

  @Override
  public void stored(byte[] group, byte[] key, byte[] row, BiConsumer<Object, Object> visitor) {
    sessions.stored(key, row, visitor);
  }
}
