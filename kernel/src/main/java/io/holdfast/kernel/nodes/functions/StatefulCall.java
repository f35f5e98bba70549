package io.holdfast.kernel.nodes.functions;

import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.workers.ArrowRows;
import io.holdfast.kernel.workers.RowSize;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * One call of a function with state: records in order, the keys that they or their timers need, and the times.
 *
 * <p>Numbers are little-endian: records, keys, the kind of call, how many bytes a state may take in any case, how many state and records of
 * one key take at most; stream time, the time to advance to, the wall clock; per record its key, its time and its bytes; per key when it was used, and the
 * lengths of state and timers, negative for none; those documents; keys and values as streams of Arrow's.
 */
final class StatefulCall {
  static final int NONE = -1;
  static final int NO_LIMIT = Integer.MAX_VALUE;
  private final StructType keyType;
  private final StructType eventType;
  final List<StreamRecord> records = new ArrayList<>();
  final List<KeyState> keys = new ArrayList<>();
  private final int number;
  /** Which timers fire besides those of event time. */
  enum Kind {
    USUAL(0),
    /** Wall-clock timers fire, too. */
    CLOCK(1),
    /** Event-time timers fire up to the wall clock, at the end of a drain. */
    DRAIN(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  private final List<Integer> owners = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private int longestKey;
  private long fullest;
  private long documents;
  private long size;

  StatefulCall(int number, DataType key, DataType event) {
    this.number = number;
    this.keyType = new StructType().add("key", key);
    this.eventType = new StructType().add("value", event);
  }

  /** Its size so far, about, in bytes. */
  long size() {
    return size;
  }

  void add(StreamRecord r, KeyState key) {
    need(key);
    long bytes = RowSize.of(r.value);
    size += bytes;
    key.arrived += bytes;
    fullest = Math.max(fullest, key.arrived + (key.state == null ? 0 : key.state.length));
    records.add(r);
    owners.add(key.slot);
    sizes.add((int) Math.min(Integer.MAX_VALUE, bytes));
  }

  /** Adds a key to the call, once. */
  void need(KeyState key) {
    if (key.call != number) {
      key.call = number;
      key.slot = keys.size();
      key.arrived = 0;
      longestKey = Math.max(longestKey, key.keyBytes.length);
      keys.add(key);
      int more = (key.state == null ? 0 : key.state.length) + (key.timers == null ? 0 : key.timers.length);
      documents += more;
      size += more;
    }
  }

  /** The stored size of the longest of its keys. */
  int longestKey() {
    return longestKey;
  }

  /**
   * @param most how many bytes of JSON a state may take in any case
   * @param now the stream time before the first record
   * @param reach the stream time to advance to in the end
   * @param clock the wall-clock time
   */
  byte[] encode(int most, long now, long reach, long clock, Kind kind) {
    byte[] keyRows = rows(keyType, keys.stream().map(k -> k.key).toList());
    byte[] events = rows(eventType, records.stream().map(r -> r.value).toList());
    int fixed = 4 * 5 + 8 * 3 + 16 * records.size() + 16 * keys.size() + 8;
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(fixed + documents + keyRows.length + events.length)).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(records.size()).putInt(keys.size()).putInt(kind.code).putInt(most).putInt((int) Math.min(Integer.MAX_VALUE, fullest));
    out.putLong(now).putLong(reach).putLong(clock);
    owners.forEach(out::putInt);
    records.forEach(r -> out.putLong(r.timestamp));
    sizes.forEach(out::putInt);
    keys.forEach(k -> out.putLong(k.touched));
    keys.forEach(k -> out.putInt(length(k.state)));
    keys.forEach(k -> out.putInt(length(k.timers)));
    keys.forEach(k -> put(out, k.state));
    keys.forEach(k -> put(out, k.timers));
    return out.putInt(keyRows.length).put(keyRows).putInt(events.length).put(events).array();
  }

  private static byte[] rows(StructType type, List<Object> values) {
    if (values.isEmpty()) {
      return new byte[0];
    }
    List<InternalRow> rows = new ArrayList<>(values.size());
    values.forEach(v -> rows.add(new GenericInternalRow(new Object[] {v})));
    return ArrowRows.write(type, rows);
  }

  private static int length(byte[] document) {
    return document == null ? NONE : document.length;
  }

  private static void put(ByteBuffer out, byte[] document) {
    if (document != null) {
      out.put(document);
    }
  }
}
