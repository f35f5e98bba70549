package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.nodes.Changelog;
import io.holdfast.kernel.nodes.QueryableStore;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.TableReader;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.sql.types.DataType;

/**
 * A table with a store: each key is read once and written once per batch.
 *
 * <p>Subclasses define how a record changes the state of its key.
 */
public abstract class TableNode extends TableRules implements TableReader, QueryableStore {
  private final StoreSpec spec;
  private final RowCodec keys;
  private final BatchEntries entries;
  private final Changelog changelog;
  private final StateLimit limit;
  private final boolean readByOthers;
  /** Which entries expire when, or null if they do not. */
  private final ExpiryIndex expiry;
  private final List<Entry> changed = new ArrayList<>();

  protected TableNode(NodeSpec node, Task task, StoreSpec spec, DataType state, boolean readByOthers) {
    super(node.id);
    this.spec = spec;
    this.keys = task.codec(node.key);
    this.entries = new BatchEntries(task.store(spec), new RowCodec(state));
    this.readByOthers = readByOthers;
    this.expiry = spec.ttl() == 0 ? null : new ExpiryIndex(task.store(spec.part("time")), spec.ttl());
    this.changelog = Changelog.of(node);
    this.limit = StateLimit.of(node, task);
  }

  /** Must be called for a record that changes the state but emits nothing: the state is written at the end of the batch. */
  protected final void markChanged(Entry e) {
    e.changed = true;
  }

  @Override
  protected final void run(List<StreamRecord> records) {
    release();
    if (records.isEmpty()) {
      return;
    }
    begin();
    if (expiry != null) {
      expiry.load();
    }
    Entry[] own = read(records);
    for (int i = 0; i < own.length; i++) {
      StreamRecord r = records.get(i);
      if (own[i] == null) {
        refuse(r);
      } else {
        take(own[i], expiry == null ? r : expired(r));
      }
    }
    finish();
    if (expiry != null) {
      expiry.save();
    }
    end();
  }

  @Override
  protected final void release() {
    entries.clear();
    changed.clear();
  }

  /** Takes over the entries of the rehearsing instance, if nothing has to be emitted within the batch. */
  @Override
  protected final boolean adopt(List<StreamRecord> records, Node rehearsed) {
    if (eachValue() || expiry != null || !hasOnlyEntries()) {
      return false;
    }
    changed.clear();
    changed.addAll(((TableNode) rehearsed).changed);
    entries.adopt(((TableNode) rehearsed).entries);
    records.stream().filter(this::isRefused).forEach(this::refuse);
    finish();
    return true;
  }

  /** The entry of each record, null for those that have none. */
  private Entry[] read(List<StreamRecord> records) {
    Entry[] own = new Entry[records.size()];
    for (int i = 0; i < own.length; i++) {
      StreamRecord r = records.get(i);
      own[i] = isRefused(r) ? null : entries.of(task.keyBytes(r, keys));
    }
    readEntries();
    return own;
  }

  private void readEntries() {
    boolean shown = eachValue() || consumersWantOld();
    entries.read(this::unpacked, state -> shown ? valueOrNothing(state) : null);
  }

  /** Expires the entries that are due at the time of this record; the record itself comes after that. */
  private StreamRecord expired(StreamRecord r) {
    List<Entry> ended = expiry.observe(r.timestamp, this::entry);
    for (int i = 0; i < ended.size(); i++) {
      expire(ended.get(i), Order.emission(r.order, i));
    }
    return ended.isEmpty() ? r : r.at(Order.emission(r.order, ended.size()));
  }

  private void expire(Entry e, byte[] order) {
    Object old = e.value;
    e.state = null;
    e.value = null;
    change(e, new StreamRecord(order, expiry.expiryOf(e.timestamp), keys.decode(e.key), null, null, null), old, expiry.expiryOf(e.timestamp));
  }

  /** Time has advanced without a record: entries expire after all records of the batch. */
  @Override
  protected void tick(long time) {
    if (expiry == null) {
      return;
    }
    expiry.load();
    List<Entry> ended = expiry.observe(time, this::entry);
    changed.clear();
    for (int i = 0; i < ended.size(); i++) {
      ended.get(i).settle();
      expire(ended.get(i), Order.emission(task.tickOrder(), i));
    }
    finish();
    expiry.save();
  }

  @Override
  protected long lastDue(long time) {
    return expiry == null ? Long.MIN_VALUE : expiry.lastExpiry(time, this::entry);
  }

  private void take(Entry e, StreamRecord r) {
    Object old = e.value;
    Object before = e.state;
    long time;
    boolean unmarked;
    try {
      if (limit != null) {
        limit.checkKey(r.key, e.key, r.timestamp);
      }
      time = timestampOf(e, r);
      if (isLate(r, time)) {
        return;
      }
      unmarked = e.state == null || time < e.timestamp;
      if (!apply(e, r)) {
        return;
      }
      if (limit != null && keepsValues()) {
        limit.check(r.key, e.state);
      }
      if (eachValue()) {
        e.value = shown(e, r);
      }
    } catch (Exception failure) {
      e.state = before;
      if (emitsChanges()) {
        task.deadLetter(this, r, FailureReasons.of(failure));
      }
      return;
    }
    change(e, r, old, time);
    if (expiry != null && unmarked && e.state != null) {
      expiry.mark(e);
    }
  }

  /** A record is late if the entry that it would write has expired already. */
  private boolean isLate(StreamRecord r, long time) {
    if (expiry == null || r.value == null || !expiry.isExpired(time)) {
      return false;
    }
    task.late(this, r, null, time, expiry.expiryOf(time), expiry.now());
    return true;
  }

  private void change(Entry e, StreamRecord r, Object old, long time) {
    e.timestamp = time;
    e.changed = true;
    if (e.last == null || !spec.every()) {
      e.position = changed.size();
      changed.add(e);
    }
    e.last = r;
    if (readByOthers) {
      e.version(r.order);
    }
    if (spec.every()) {
      emit(r.change(old, e.value, time));
    } else if (consumersWantEveryUpdate()) {
      emit(r.change(old, e.value, time), true);
    }
  }

  private boolean eachValue() {
    return spec.every() || readByOthers || consumersWantEveryUpdate();
  }

  /** The entry of a key that may not be the batch's. */
  private Entry entry(byte[] key) {
    Entry e = entries.of(key);
    readEntries();
    return e;
  }

  /** Keeps each entry once, at the position of its last change. */
  private void leaveLast() {
    int size = 0;
    for (int i = 0; i < changed.size(); i++) {
      Entry e = changed.get(i);
      if (e.position == i) {
        e.position = size;
        changed.set(size++, e);
      }
    }
    changed.subList(size, changed.size()).clear();
  }

  private void finish() {
    leaveLast();
    if (task.isRehearsing()) {
      changed.forEach(e -> shown(e, e.last));
      entries.eachChanged(e -> {
        if (e.state != null) {
          packed(e.state);
        }
      });
      return;
    }
    if (!spec.every()) {
      changed.sort((a, b) -> Order.compare(a.last.order, b.last.order));
    }
    for (Entry e : changed) {
      if (!eachValue()) {
        e.value = shown(e, e.last);
      }
      boolean nothing = !e.existed && e.value == null;
      if (!spec.every() && hasConsumers() && !nothing) {
        emit(e.last.change(e.emitted, e.value, e.timestamp), false);
      }
      if (changelog != null && !nothing && emitsChanges()) {
        task.output(e.last, keys, changelog.row(e.last.key, e.value, e.timestamp));
      }
    }
    entries.write(this::packed);
  }

  @Override
  public final ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    return entry(keyBytes).asOf(order);
  }

  @Override
  public final void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> visitor) {
    Object value = valueOrNothing(unpacked(entries.stateIn(stored)));
    if (value != null) {
      visitor.accept(keys.decode(key), value);
    }
  }
}
