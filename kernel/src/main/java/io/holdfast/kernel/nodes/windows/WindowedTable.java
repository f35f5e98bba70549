package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.Changelog;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.nodes.folds.LimitedFolder;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * A table with a value per key and window: each is read once and written once per batch.
 *
 * <p>Subclasses define which windows a record is in. A window expires when another has begun a retention after its start; consumers get no
 * update of that.
 */
public abstract class WindowedTable extends TimedTable {
  protected final WindowOptions options;
  protected final Folder folder;
  protected final WindowStore windows;
  protected final WindowClock clock;
  private final RowCodec keys;
  private final Changelog changelog;
  private final StateLimit limit;
  private final List<WindowEntry> changed = new ArrayList<>();
  private final List<WindowEntry> expired = new ArrayList<>();
  /** How many records the current record has caused so far. */
  private int emissions;
  private final List<Update> updates = new ArrayList<>();

  /**
   * The update of one window by a record.
   *
   * @param adds whether the record has still to be added to the state
   */
  private record Update(WindowEntry of, Object state, long timestamp, boolean adds) {}

  protected WindowedTable(NodeSpec node, Task task, WindowOptions options, long typicalRetention) {
    super(node.id);
    this.options = options;
    this.limit = StateLimit.ofWindows(node, task);
    this.folder = LimitedFolder.open(options.folder(), node, task, limit);
    this.keys = task.codec(options.key());
    this.windows = new WindowStore(task.store(options.store()), keys, new RowCodec(options.folder().state()), folder);
    this.clock = new WindowClock(task.store(options.store().part(WindowOptions.PART)), typicalRetention, options.onClose(), node.recordInputs());
    this.changelog = Changelog.of(node);
  }

  /** Calls {@link #add}, {@link #put} or {@link #late} for the windows of the record. */
  protected abstract void assign(StreamRecord r, KeyWindows of, long now);

  /** The stream time at which a window with this end closes. */
  protected abstract long closedAt(long end);

  protected abstract long retention(long start, long end);

  /** Whether a record can change several windows. */
  protected abstract boolean overlap();

  @Override
  protected final void begin() {
    windows.begin();
  }

  @Override
  protected final void load(List<StreamRecord> records) {
    clock.load();
  }

  @Override
  protected final void tick(long time) {
    clock.load();
    if (time > clock.now()) {
      clock.observe(time);
      emissions = 0;
      close(task.tickOrder());
      clock.save();
    }
  }

  @Override
  protected final long lastDue(long time) {
    clock.load();
    return clock.lastClosing(time, this::closing);
  }

  /** When a window closes; Long.MIN_VALUE if it does not exist. */
  private long closing(byte[] entry) {
    WindowEntry e = awaited(entry);
    return e.state == null ? Long.MIN_VALUE : closedAt(e.end);
  }

  @Override
  protected final void take(StreamRecord r) {
    long now = clock.observe(r.port(), r.timestamp);
    updates.clear();
    try {
      byte[] key = task.keyBytes(r, keys);
      if (limit != null) {
        limit.checkKey(r.key, key, r.timestamp);
      }
      assign(r, windows.of(key, r.key), now);
      addAll(r);
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
      updates.clear();
    }
    emissions = 0;
    for (Update update : updates) {
      apply(update, r, overlap() ? Order.emission(r.order, emissions++) : r.order);
    }
    close(r.order);
    expire(r);
  }

  /** Adds the record to the window. */
  protected final void add(WindowEntry e, StreamRecord r) {
    long latest = e.state == null ? r.timestamp : Math.max(e.timestamp, r.timestamp);
    open(e);
    updates.add(new Update(e, e.state, latest, true));
  }

  /** Adds the record to the states of its windows: to all of them or, if it fails for one, to none. */
  private void addAll(StreamRecord r) {
    boolean careful = updates.size() > 1 && updates.stream().anyMatch(u -> u.adds && !folder.addsWithoutFailure(u.state, r));
    updates.replaceAll(u -> u.adds
        ? new Update(u.of, folder.add(careful && u.state != null ? windows.copy(u.state) : u.state, r), u.timestamp, false) : u);
  }

  /** Must be called before the state of a window is changed by something else than {@link #add}. */
  protected final void open(WindowEntry e) {
    e.open(folder, eachValue() || hasConsumers());
  }

  /** Sets the state of the window; null deletes it. */
  protected final void put(WindowEntry e, Object state, long timestamp) {
    updates.add(new Update(e, state, timestamp, false));
  }

  /** The record is late for this window. */
  protected final void late(StreamRecord r, long start, long end) {
    task.late(this, r, options.late(), start, end, clock.now(r.port()));
  }

  private void apply(Update update, StreamRecord r, byte[] order) {
    WindowEntry e = update.of;
    Object old = e.value;
    e.state = update.state;
    e.timestamp = update.timestamp;
    if (eachValue()) {
      e.value = e.state == null ? null : folder.valueOf(e.state);
    }
    if (e.last == null) {
      changed.add(e);
    }
    e.last = r;
    e.order = order;
    if (options.onClose()) {
      e.headers = e.state == null ? null : ReplayMark.carried(e.headers, r.headers);
    }
    clock.schedule(e, closedAt(e.end), expiry(e.start, e.end));
    emitUpdate(e, old);
  }

  private void emitUpdate(WindowEntry e, Object old) {
    if (options.readByOthers()) {
      e.version(e.order, e.value);
    }
    if (options.store().every()) {
      emit(change(e, e.order, old, e.value, e.last.headers));
    } else if (options.onClose() && consumersWantEveryUpdate()) {
      emitToCopies(change(e, e.order, old, e.value, e.last.headers));
    } else if (consumersWantEveryUpdate()) {
      emit(change(e, e.order, old, e.value, e.last.headers), true);
    }
  }

  private static StreamRecord change(WindowEntry e, byte[] order, Object old, Object value, RawHeader[] headers) {
    return new StreamRecord(order, e.timestamp, e.key(), value, old, headers);
  }

  private boolean eachValue() {
    return options.store().every() || options.readByOthers() || consumersWantEveryUpdate();
  }

  /** Emits the windows that have closed by now. */
  private void close(byte[] order) {
    for (byte[] entry : clock.closed()) {
      WindowEntry e = awaited(entry);
      if (e.state != null && closedAt(e.end) > clock.now()) {
        clock.closesLater(entry, closedAt(e.end));
      } else if (e.state != null) {
        emit(change(e, Order.emission(order, emissions++), null, folder.valueOf(e.state), e.headers));
      }
    }
  }

  /** Drops the windows that have expired, after those that have closed are emitted: their results may be joined with this very table. */
  private void expire(StreamRecord cause) {
    for (byte[] entry : clock.expired()) {
      long end = expiry(WindowKeys.startOf(entry), WindowKeys.endOf(entry));
      if (end > clock.expiryTime()) {
        clock.expiresLater(entry, end);
        continue;
      }
      WindowEntry e = options.readByOthers() || consumersWantEveryUpdate() ? awaited(entry) : known(entry);
      if (!e.expired) {
        e.expired = true;
        expired.add(e);
        hide(e, cause);
      }
    }
  }

  /** A window expires when another begins at this time. */
  private long expiry(long start, long end) {
    return start + retention(start, end);
  }

  private WindowEntry awaited(byte[] entry) {
    return windows.get(windows.of(WindowClock.keyOf(entry)), WindowKeys.startOf(entry), WindowKeys.endOf(entry));
  }

  /** A window that no join or copy reads need not be loaded to be dropped. */
  private WindowEntry known(byte[] entry) {
    KeyWindows of = windows.of(WindowClock.keyOf(entry));
    WindowEntry e = of.windows.get(WindowKeys.startOf(entry));
    return e == null ? WindowEntry.unread(of, WindowKeys.startOf(entry), WindowKeys.endOf(entry)) : e;
  }

  private void hide(WindowEntry e, StreamRecord cause) {
    open(e);
    byte[] order = Order.emission(cause.order, emissions++);
    if (options.readByOthers()) {
      e.version(order, null);
    }
    if (consumersWantEveryUpdate() && e.value != null) {
      emitToCopies(change(e, order, e.value, null, cause.headers));
    }
  }

  @Override
  protected final void finish() {
    if (!options.store().every()) {
      changed.sort((a, b) -> Order.compare(a.order, b.order));
    }
    changed.forEach(this::finishEntry);
    expired.forEach(this::drop);
    changed.clear();
    expired.clear();
    clock.save();
  }

  private void finishEntry(WindowEntry e) {
    if (!eachValue()) {
      e.value = e.state == null ? null : folder.valueOf(e.state);
    }
    boolean nothing = !e.existed && e.value == null;
    if (!options.store().every() && !options.onClose() && hasConsumers() && !nothing) {
      emit(change(e, e.order, e.before, e.value, e.last.headers), false);
    }
    if (!e.expired) {
      windows.write(e);
      writeChangelog(e, e.value, nothing, e.timestamp);
    }
  }

  private void drop(WindowEntry e) {
    windows.remove(e);
    writeChangelog(e, null, !e.existed, clock.now());
  }

  private void writeChangelog(WindowEntry e, Object value, boolean nothing, long timestamp) {
    if (changelog != null && !nothing) {
      task.output(changelog.row(e.key(), value, timestamp));
    }
  }

  @Override
  public final ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    InternalRow windowed = (InternalRow) key;
    KeyWindows of = windows.of(windowed.get(0, options.key()));
    return windows.get(of, WindowKeys.start(windowed), WindowKeys.end(windowed)).asOf(order, folder);
  }

  @Override
  public final void stored(byte[] group, byte[] window, byte[] stored, BiConsumer<Object, Object> visitor) {
    visitor.accept(windows.storedKey(group, window), windows.storedValue(stored));
  }
}
