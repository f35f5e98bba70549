package io.holdfast.kernel.nodes.functions;

import io.holdfast.kernel.workers.ArrowRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * The answer of one call: results in order, failures, and the new state of every key.
 *
 * <p>Numbers are little-endian: results, firings, failures, the length of the stream of Arrow's with the results, that stream; per result its
 * record; per result of a timer which result, its key and its time; per failure its record, its key (negative: the record failed), time,
 * length and text of the reason; per key when it was used, what it waits for in event time and by the clock, lengths of state and timers;
 * those documents.
 */
final class StatefulAnswer {
  private final ByteBuffer in;
  final int[] resultRecords;
  final List<InternalRow> results;
  final int[] firedResults;
  final int[] firedKeys;
  final long[] firedTimes;
  final Failure[] failures;

  /** Why a record, or a timer of a key, failed. */
  record Failure(int record, int key, long time, String reason) {}

  StatefulAnswer(byte[] bytes, DataType result) {
    in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int count = in.getInt();
    int fired = in.getInt();
    int failed = in.getInt();
    byte[] rows = take(in.getInt());
    results = rows == null || count == 0 ? List.of() : ArrowRows.read(new StructType().add("result", result), rows);
    resultRecords = ints(count);
    firedResults = ints(fired);
    firedKeys = ints(fired);
    firedTimes = longs(fired);
    failures = new Failure[failed];
    for (int i = 0; i < failed; i++) {
      failures[i] = new Failure(in.getInt(), in.getInt(), in.getLong(), new String(take(in.getInt()), StandardCharsets.UTF_8));
    }
  }

  /** Updates the keys of the call. */
  void update(List<KeyState> keys, KeyTimers events, KeyTimers wall) {
    long[] touched = longs(keys.size());
    long[] nextEvent = longs(keys.size());
    long[] nextWall = longs(keys.size());
    int[] states = ints(keys.size());
    int[] timers = ints(keys.size());
    for (int i = 0; i < states.length; i++) {
      keys.get(i).state = take(states[i]);
    }
    for (int i = 0; i < timers.length; i++) {
      KeyState key = keys.get(i);
      key.timers = take(timers[i]);
      key.touched = touched[i];
      key.changed = true;
      events.mark(key, nextEvent[i]);
      wall.mark(key, nextWall[i]);
    }
  }

  private int[] ints(int n) {
    int[] out = new int[n];
    in.asIntBuffer().get(out);
    in.position(in.position() + 4 * n);
    return out;
  }

  private long[] longs(int n) {
    long[] out = new long[n];
    in.asLongBuffer().get(out);
    in.position(in.position() + 8 * n);
    return out;
  }

  private byte[] take(int length) {
    if (length < 0) {
      return null;
    }
    byte[] out = new byte[length];
    in.get(out);
    return out;
  }
}
