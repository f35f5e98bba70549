package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.RowExtra;
import io.holdfast.kernel.stores.TimeIndex;
import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The records of one side of a join, by key and time, as long as they may find a partner. */
final class JoinSide {
  private static final byte[] COUNT = {'n'};
  private final KeyValueStore records;
  private final RowCodec values;
  private final long retention;
  /** The stream time of this side: records older than the retention find no partner any more. */
  private final StreamTime time;
  /** Has one entry for each stored series. */
  private final TimeIndex expiry;
  private final KeyValueStore counts;
  private final Map<Bytes, TimeSeries> batch = new HashMap<>();
  private long count;
  /** The keys of all stored series; null if there are too many to read them all. */
  private Set<Bytes> existing;

  JoinSide(int number, KeyValueStore records, KeyValueStore times, RowCodec values, long retention) {
    this.records = new PrefixedStore(records, (char) ('0' + number));
    this.values = values;
    this.retention = retention;
    this.time = new StreamTime(new PrefixedStore(times, (char) ('0' + number)));
    this.expiry = TimeIndex.forWait(new PrefixedStore(times, (char) ('2' + number)), retention);
    this.counts = new PrefixedStore(times, (char) ('4' + number));
  }

  void load() {
    batch.clear();
    time.load();
    expiry.load();
    byte[] stored = counts.get(COUNT);
    count = stored == null ? 0 : ByteBuffer.wrap(stored).getLong();
    existing = null;
  }

  /** Prefetches the series of these keys; if few keys have one, the index says which. */
  void fetch(List<byte[]> keys) {
    if (count > keys.size() / 2) {
      records.fetch(keys);
      return;
    }
    Set<Bytes> known = new HashSet<>();
    expiry.each(key -> known.add(new Bytes(key)));
    records.fetch(keys.stream().filter(key -> known.contains(new Bytes(key))).toList());
    existing = known;
  }

  /** The end of the batch: drops records beyond the retention and writes the rest. */
  void flush() {
    long oldest = oldest();
    Set<Bytes> due = new HashSet<>();
    expiry.pollUpTo(oldest - 1).forEach(each -> due.add(new Bytes(each.entry())));
    due.forEach(key -> series(key.bytes()));
    batch.forEach((key, series) -> {
      series.dropBefore(oldest);
      count += (series.isEmpty() ? 0 : 1) - (series.existed() ? 1 : 0);
      // A stored series has one entry in the index: since it began, or since that entry was last due.
      if (!series.isEmpty() && (!series.existed() || due.contains(key))) {
        expiry.add(series.last(), key.bytes());
      }
      series.flush();
    });
    batch.clear();
    expiry.flush();
    time.save();
    counts.put(COUNT, ByteBuffer.allocate(8).putLong(count).array());
  }

  /** The time of the oldest record that may still find a partner. */
  long oldest() {
    return time.now() == Long.MIN_VALUE ? 0 : time.now() - retention + 1;
  }

  private TimeSeries series(byte[] key) {
    return batch.computeIfAbsent(new Bytes(key), k ->
        existing == null || existing.contains(k) ? new TimeSeries(records, key) : TimeSeries.begun(records, key));
  }

  /** The records of a key in a span of time, in order. */
  List<TimeSeries.Item> between(byte[] key, long from, long to) {
    return series(key).between(Math.max(from, oldest()), to);
  }

  /** The records of a key and time that wait for a partner. */
  List<TimeSeries.Item> waiting(byte[] key, long at) {
    return series(key).between(at, at).stream().filter(JoinNote::isWaiting).toList();
  }

  /** Marks a record as matched. */
  void met(byte[] key, TimeSeries.Item item) {
    if (JoinNote.isWaiting(item)) {
      series(key).note(item, null);
    }
  }

  /** Marks a record as emitted unmatched. */
  void emitted(byte[] key, TimeSeries.Item item) {
    series(key).note(item, JoinNote.EMITTED);
  }

  Object value(TimeSeries.Item item) {
    return values.decode(item.value, 0, RowExtra.rowLength(item.value));
  }

  /** The mark of a record that was replayed, or null. */
  static byte[] replayed(TimeSeries.Item item) {
    return RowExtra.of(item.value);
  }

  /**
   * Buffers a record; even one beyond the retention, if it waits for a partner.
   *
   * @param note its note, or null
   * @return false if it is too old
   */
  boolean buffer(byte[] key, StreamRecord r, byte[] note, boolean waits) {
    time.observe(r.timestamp);
    boolean buffered = waits || r.timestamp >= oldest();
    if (buffered) {
      series(key).add(r.timestamp, RowExtra.with(values.encode(r.value), ReplayMark.in(r.headers)), note);
    }
    return buffered;
  }
}
