package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.nodes.WaitingKeys;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.TableReader;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Suppresses the updates of a table until their window closes or a time has passed, and emits the last one then.
 *
 * <p>As Kafka Streams' KTableSuppressProcessor: the first update of a key decides how long it is buffered, later ones replace it.
 */
public final class Suppress extends Node implements TableReader {
  private static final byte[] COUNT = {'n'};
  /** Kafka Streams does not know the time of what was there before, either. */
  private static final long UNKNOWN = -1;
  private final NodeSpec node;
  private final Until until;
  private final KeyValueStore store;
  private final KeyValueStore times;
  private final StreamTime time;
  private final TimeIndex waiting;
  private final WaitingKeys entries;
  private final RowCodec keys;
  private final RowCodec values;
  private final Map<Bytes, SuppressedKey> batch = new HashMap<>();
  private long count;
  private int emitted;

  /**
   * How long updates are buffered.
   *
   * @param windows whether the end of their window counts, or their own time
   * @param delay how long after that, in milliseconds
   * @param most how many keys may be buffered
   * @param fail whether the app stops when there are more; otherwise the earliest are emitted
   */
  public record Until(boolean windows, long delay, long most, boolean fail) implements Serializable {}

  public Suppress(NodeSpec node, Task task, StoreSpec store, Until until) {
    super(node.id);
    this.node = node;
    this.until = until;
    this.store = task.store(store);
    this.times = task.store(store.part("time"));
    this.time = new StreamTime(times);
    this.waiting = TimeIndex.forWait(new PrefixedStore(times, 'w'), Math.max(until.delay, 1000));
    this.entries = new WaitingKeys(node.key);
    this.keys = task.codec(node.key);
    this.values = task.codec(node.value);
  }

  @Override
  protected void run(List<StreamRecord> records) {
    batch.clear();
    if (records.isEmpty()) {
      return;
    }
    load();
    for (int i = 0; i < records.size(); i++) {
      StreamRecord r = records.get(i);
      if (!r.isForCopiesOnly()) {
        take(r);
      } else if (r.value == null) {
        emitToCopies(r);
      }
    }
    save();
  }

  @Override
  protected boolean leadsToCopies() {
    return true;
  }

  @Override
  protected void tick(long now) {
    load();
    if (now > time.now()) {
      time.observe(now);
      release(task.tickOrder());
      save();
    }
  }

  @Override
  protected long lastDue(long limit) {
    waiting.load();
    return TimeIndex.later(waiting.lastUpTo(limit - until.delay, due -> true), until.delay);
  }

  private void load() {
    time.load();
    waiting.load();
    byte[] stored = times.get(COUNT);
    count = stored == null ? 0 : ByteBuffer.wrap(stored).getLong();
  }

  private void save() {
    time.save();
    waiting.flush();
    times.put(COUNT, ByteBuffer.allocate(8).putLong(count).array());
    for (SuppressedKey h : batch.values()) {
      if (h.changed && h.buffered) {
        store.put(h.key, h.encoded(values));
      } else if (h.changed) {
        store.remove(h.key);
      }
      h.changed = false;
    }
  }

  private void take(StreamRecord r) {
    time.observe(r.timestamp);
    SuppressedKey h = suppressedKey(task.keyBytes(r, keys));
    h.headers = h.buffered ? ReplayMark.carried(h.headers, r.headers) : r.headers;
    if (!h.buffered) {
      h.buffered = true;
      h.prior = r.old;
      h.note(r.order);
      waiting.add(until.windows ? WindowKeys.end((InternalRow) r.key) : r.timestamp, entries.entry(r.key, h.key));
      count++;
    }
    h.value = r.value;
    h.timestamp = r.timestamp;
    h.changed = true;
    release(r.order);
  }

  private SuppressedKey suppressedKey(byte[] key) {
    return batch.computeIfAbsent(new Bytes(key), b -> {
      byte[] stored = store.get(key);
      return stored == null ? new SuppressedKey(key) : new SuppressedKey(key, stored, values);
    });
  }

  /** Emits the updates that are due, and the earliest of those that are too many. */
  private void release(byte[] order) {
    emitted = 0;
    waiting.pollUpTo(time.now() - until.delay).forEach(due -> emitFinal(suppressedKey(WaitingKeys.key(due.entry())), order));
    while (count > until.most) {
      if (until.fail) {
        throw new KernelError(node.id, node.at, "more than " + until.most + " keys are buffered in " + node.id
            + "; raise max_records, let windows close earlier, or emit the earliest: on_full=\"emit\"");
      }
      emitFinal(suppressedKey(WaitingKeys.key(waiting.poll().entry())), order);
    }
  }

  private void emitFinal(SuppressedKey h, byte[] order) {
    Object prior = h.prior;
    RawHeader[] headers = h.headers;
    h.buffered = false;
    h.changed = true;
    h.note(order);
    count--;
    if (h.value != null || !until.windows) {
      emit(new StreamRecord(Order.emission(order, emitted++), h.timestamp, keys.decode(h.key), h.value, prior, headers));
    }
  }

  @Override
  public ValueAndTimestamp stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    SuppressedKey.ReadView seen = suppressedKey(keyBytes).asOf(order);
    if (!seen.buffered()) {
      return task.table(node.inputs.get(0)).stampedAsOf(keyBytes, key, order);
    }
    return seen.prior() == null ? null : new ValueAndTimestamp(seen.prior(), UNKNOWN);
  }
}
