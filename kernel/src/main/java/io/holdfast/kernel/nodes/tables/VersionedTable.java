package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.Changelog;
import io.holdfast.kernel.nodes.QueryableStore;
import io.holdfast.kernel.nodes.StateForm;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.stores.TimeSeries;
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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.spark.sql.types.DataType;

/**
 * A table with the versions of its values for a retention, as Kafka Streams' versioned stores.
 *
 * <p>Time decides, not the order of arrival. An update that is older than the latest version becomes an earlier version; one that is
 * older than the retention is late. The store has the latest version of each key like that of any other table.
 */
public final class VersionedTable extends Node implements TableReader, QueryableStore {
  private final VersionedUpdate update;
  private final StateForm form;
  private final long retention;
  private final boolean readByOthers;
  private final KeyValueStore store;
  private final KeyValueStore series;
  private final RowCodec keys;
  private final RowCodec states;
  private final RowCodec values;
  private final Changelog changelog;
  private final StateLimit limit;
  private final StreamTime time;
  private final TimeIndex expiry;
  private final Map<Bytes, KeyVersions> batch = new HashMap<>();
  /** Where stream time advanced in this batch, and how far. */
  private final List<byte[]> moves = new ArrayList<>();
  private final List<Long> moved = new ArrayList<>();

  private VersionedTable(NodeSpec node, Task task, VersionedUpdate update, DataType state, long retention, boolean readByOthers) {
    super(node.id);
    this.update = update;
    this.form = update.form();
    this.retention = retention;
    this.changelog = Changelog.of(node);
    this.limit = StateLimit.of(node, task);
    this.readByOthers = readByOthers;
    this.store = task.store(node.store());
    KeyValueStore versions = task.store(node.store().part(StoreSpec.VERSIONS));
    this.series = new PrefixedStore(versions, 'v');
    this.time = new StreamTime(new PrefixedStore(versions, 't'));
    this.expiry = TimeIndex.forWait(new PrefixedStore(versions, 'e'), retention);
    this.keys = task.codec(node.key);
    this.values = task.codec(node.value);
    this.states = new RowCodec(state);
  }

  /** The values of a topic, a stream or another table. */
  public static VersionedTable latest(NodeSpec node, Task task, long retention, boolean readByOthers) {
    return new VersionedTable(node, task, VersionedUpdate.PLAIN, node.value, retention, readByOthers);
  }

  /** A filtered or mapped table. */
  public static VersionedTable view(NodeSpec node, Task task, BoundExpressions bound, boolean filter, long retention, boolean readByOthers) {
    VersionedUpdate update = VersionedUpdate.of(new TableView.Change(task, bound, filter, true));
    return new VersionedTable(node, task, update, node.value, retention, readByOthers);
  }

  /** A table whose values a folder makes of one record each. */
  public static VersionedTable mapped(NodeSpec node, Task task, Folder.Plan plan, long retention, boolean readByOthers) {
    return new VersionedTable(node, task, VersionedUpdate.mapped(plan.open(node, task)), plan.state(), retention, readByOthers);
  }

  /** The records of each key, folded. */
  public static VersionedTable folded(NodeSpec node, Task task, Folder.Plan plan, long retention, boolean readByOthers) {
    return new VersionedTable(node, task, VersionedUpdate.of(plan.open(node, task)), plan.state(), retention, readByOthers);
  }

  @Override
  protected void run(List<StreamRecord> records) {
    batch.clear();
    moves.clear();
    moved.clear();
    if (records.isEmpty() && !readByOthers) {
      return;
    }
    time.load();
    moves.add(new byte[0]);
    moved.add(time.now());
    if (records.isEmpty()) {
      return;
    }
    for (StreamRecord r : records) {
      if (r.key == null) {
        task.deadLetter(this, r, "the key is null; a table has no place for it");
      } else if (update.skips(r)) {
        task.skip(this, r);
      } else {
        take(r);
      }
    }
    finish();
  }

  private void take(StreamRecord r) {
    KeyVersions key = versions(task.keyBytes(r, keys));
    Object old = key.value;
    long at = update.time(key.state, key.time, r);
    if (isBeyondRetention(at)) {
      task.late(this, r, null, at, at, time.now());
      return;
    }
    Object value;
    boolean latest;
    try {
      Object state = update.take(key.state, r);
      value = state == null ? null : form.valueOf(state);
      if (limit != null) {
        limit.checkKey(r.key, task.keyBytes(r, keys), r.timestamp);
        limit.check(r.key, value);
      }
      latest = key.put(at, state, value, r);
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
      return;
    }
    observe(at, r.order);
    StreamRecord change = r.change(old, value, at);
    emit(latest ? change : change.outdated());
  }

  /** Whether a time is beyond the retention. */
  private boolean isBeyondRetention(long at) {
    return time.now() != Long.MIN_VALUE && at < time.now() - retention;
  }

  private void observe(long at, byte[] order) {
    if (at > time.now()) {
      moves.add(order);
      moved.add(time.observe(at));
    }
  }

  private KeyVersions versions(byte[] key) {
    return batch.computeIfAbsent(new Bytes(key), k -> load(key));
  }

  private KeyVersions load(byte[] key) {
    byte[] stored = store.get(key);
    ValueAndTimestamp latest = stored == null ? null
        : new ValueAndTimestamp(form.unpack(states.decode(stored, 8, stored.length - 8)), ByteBuffer.wrap(stored).getLong());
    Object value = latest == null ? null : form.valueOf(latest.value());
    return new KeyVersions(values, () -> new TimeSeries(series, key), latest, value, readByOthers || changelog != null);
  }

  private void finish() {
    expiry.load();
    // The retention counts from the stream time before this batch: its records may still read those versions.
    long before = moved.get(0);
    Set<Bytes> due = new HashSet<>();
    if (before != Long.MIN_VALUE) {
      expiry.pollUpTo(before - retention).forEach(each -> due.add(new Bytes(each.entry())));
      due.forEach(key -> versions(key.bytes()));
    }
    batch.forEach((key, versions) -> {
      if (versions.last != null) {
        write(key.bytes(), versions);
        writeChangelog(versions);
      }
      if (versions.hasHistory() || due.contains(key)) {
        expireVersions(key, versions, before, due.contains(key));
      }
    });
    expiry.flush();
    time.save();
  }

  private void expireVersions(Bytes key, KeyVersions versions, long before, boolean due) {
    TimeSeries history = versions.history();
    if (before != Long.MIN_VALUE) {
      versions.dropBefore(before - retention);
    }
    // A stored series has one entry in the index: since it began, or since that entry was last due.
    if (!history.isEmpty() && (!history.existed() || due)) {
      expiry.add(versions.newest(), key.bytes());
    }
    history.flush();
  }

  private void write(byte[] key, KeyVersions versions) {
    if (versions.state == null) {
      store.remove(key);
      return;
    }
    byte[] row = states.encode(form.pack(versions.state));
    store.put(key, ByteBuffer.allocate(8 + row.length).putLong(versions.time).put(row).array());
  }

  /** The changelog has every version; the latest comes last, so that it is what compaction leaves. */
  private void writeChangelog(KeyVersions versions) {
    if (changelog == null) {
      return;
    }
    List<ValueAndTimestamp> put = versions.versions();
    long newest = versions.newest();
    if (put.get(put.size() - 1).timestamp() != newest) {
      put.add(new ValueAndTimestamp(versions.value, newest));
    }
    for (ValueAndTimestamp version : put) {
      task.output(versions.last, keys, changelog.row(versions.last.key, version.value(), version.timestamp()));
    }
  }

  @Override
  public boolean isVersioned() {
    return true;
  }

  @Override
  public ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    return present(versions(keyBytes).asOf(order, Long.MAX_VALUE));
  }

  @Override
  public ValueAndTimestamp stampedAt(byte[] keyBytes, Object key, byte[] order, long at) {
    KeyVersions versions = versions(keyBytes);
    long now = timeAsOf(order);
    if (now != Long.MIN_VALUE && at < now - retention) {
      // Beyond the retention only the latest version is known.
      ValueAndTimestamp latest = present(versions.asOf(order, Long.MAX_VALUE));
      return latest != null && latest.timestamp() <= at ? latest : null;
    }
    return present(versions.asOf(order, at));
  }

  private static ValueAndTimestamp present(ValueAndTimestamp version) {
    return version == null || version.value() == null ? null : version;
  }

  private long timeAsOf(byte[] order) {
    int i = moves.size() - 1;
    while (i > 0 && Order.compare(moves.get(i), order) > 0) {
      i--;
    }
    return moved.get(i);
  }

  /** Every stored version of a key, in order, deletes included: for reading a store from outside. */
  public List<ValueAndTimestamp> history(byte[] key) {
    List<ValueAndTimestamp> out = new ArrayList<>();
    for (TimeSeries.Item item : new TimeSeries(series, key).between(Long.MIN_VALUE, Long.MAX_VALUE)) {
      out.add(new ValueAndTimestamp(item.value == null ? null : values.decode(item.value), item.time));
    }
    byte[] latest = store.get(key);
    if (latest != null) {
      stored(null, key, latest, (k, value) -> out.add(new ValueAndTimestamp(value, ByteBuffer.wrap(latest).getLong())));
    }
    return out;
  }

  @Override
  public void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> entries) {
    Object value = form.valueOf(form.unpack(states.decode(stored, 8, stored.length - 8)));
    if (value != null) {
      entries.accept(keys.decode(key), value);
    }
  }
}
