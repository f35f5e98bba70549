package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.InputTimes;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.nodes.WindowKeys;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeIndex;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** The stream time of a table of windows, and which windows close or expire as it advances. */
final class WindowClock {
  private static final int WINDOW_BYTES = 16;
  private final InputTimes times;
  private final StreamTime latestStart;
  private final TimeIndex expiries;
  private final TimeIndex closings;

  /**
   * @param retention about how long windows are stored
   * @param closes whether windows are emitted when they close; then there is one stream time for all inputs
   */
  WindowClock(KeyValueStore store, long retention, boolean closes, int inputs) {
    times = new InputTimes(store, closes ? 1 : inputs);
    latestStart = new StreamTime(new PrefixedStore(store, 's'));
    expiries = TimeIndex.forWait(new PrefixedStore(store, 'e'), retention);
    closings = closes ? TimeIndex.forWait(new PrefixedStore(store, 'c'), retention) : null;
  }

  /** The beginning of a task's batch. */
  void load() {
    times.load();
    latestStart.load();
    expiries.load();
    if (closings != null) {
      closings.load();
    }
  }

  /** The end of the batch. */
  void save() {
    times.save();
    latestStart.save();
    expiries.flush();
    if (closings != null) {
      closings.flush();
    }
  }

  /** The time of an input after a record of it. */
  long observe(int input, long timestamp) {
    return times.observe(input, timestamp);
  }

  void observe(long time) {
    times.observe(time);
  }

  long now() {
    return times.now();
  }

  long now(int input) {
    return times.now(input);
  }

  /** Windows whose start is a retention before this have expired; Long.MIN_VALUE if there was no window yet. */
  long expiryTime() {
    return times.expiryTime(latestStart.now());
  }

  /** Schedules the closing and the expiry of a window that was written, if it is new. */
  void schedule(WindowEntry e, long closed, long expired) {
    latestStart.observe(e.start);
    if (e.awaited || e.state == null) {
      return;
    }
    e.awaited = true;
    byte[] entry = ByteBuffer.allocate(WINDOW_BYTES + e.of.bytes.length).put(WindowKeys.encode(e.start, e.end)).put(e.of.bytes).array();
    expiries.add(expired, entry);
    if (closings != null) {
      closings.add(closed, entry);
    }
  }

  /** The windows that have closed since the last call, each once, by their end. */
  List<byte[]> closed() {
    return closings == null ? List.of() : due(closings, times.now());
  }

  /**
   * When the last window closes of those that close up to this time; Long.MIN_VALUE if none does.
   *
   * @param closing when a window closes according to the current program; Long.MIN_VALUE if it does not exist any more
   */
  long lastClosing(long time, ToLongFunction<byte[]> closing) {
    return closings == null ? Long.MIN_VALUE : closings.lastEndUpTo(time, due -> closing.applyAsLong(due.entry()));
  }

  /** Called for a window that closes later than when it was written, because the program has changed. */
  void closesLater(byte[] entry, long closed) {
    closings.add(closed, entry);
  }

  /** The same for a window that expires later. */
  void expiresLater(byte[] entry, long expired) {
    expiries.add(expired, entry);
  }

  /** The windows that have expired since the last call: another one began a retention after their start, and no input is behind. */
  List<byte[]> expired() {
    return due(expiries, expiryTime());
  }

  private static List<byte[]> due(TimeIndex index, long now) {
    List<TimeIndex.Due> found = index.pollUpTo(now);
    if (found.isEmpty()) {
      return List.of();
    }
    List<byte[]> out = new ArrayList<>();
    for (TimeIndex.Due due : found) {
      // A window that was deleted and created again has two entries.
      if (out.isEmpty() || !Arrays.equals(out.get(out.size() - 1), due.entry())) {
        out.add(due.entry());
      }
    }
    return out;
  }

  static byte[] keyOf(byte[] entry) {
    return Arrays.copyOfRange(entry, WINDOW_BYTES, entry.length);
  }
}
