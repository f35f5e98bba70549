package io.holdfast.kernel.nodes.functions;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.TimeIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The keys that have timers.
 *
 * <p>Each has one mark in an index, never later than its earliest timer. A mark that is due too early is set again, so that a timer that every
 * record postpones is marked once per length of the timer and not once per record.
 */
final class KeyTimers {
  /** The usual length of a timer: some hours. */
  private static final long WAIT = 15_000_000;
  private final TimeIndex index;
  private final Function<KeyState, KeyState.Waiting> part;

  /**
   * @param part the event-time or the wall-clock timers of a key
   */
  KeyTimers(KeyValueStore store, Function<KeyState, KeyState.Waiting> part) {
    this.index = TimeIndex.forWait(store, WAIT);
    this.part = part;
  }

  void load() {
    index.load();
  }

  void flush() {
    index.flush();
  }

  /** The keys with timers that are due up to this time. */
  List<KeyState> upTo(long time, Function<byte[], KeyState> keys) {
    List<KeyState> out = new ArrayList<>();
    for (TimeIndex.Due due : index.pollUpTo(time)) {
      KeyState key = keys.apply(due.entry());
      KeyState.Waiting waiting = part.apply(key);
      if (waiting.mark != due.time()) {
        continue;
      }
      waiting.mark = KeyState.NEVER;
      key.changed = true;
      if (waiting.next <= time) {
        out.add(key);
      } else {
        mark(key, waiting.next);
      }
    }
    return out;
  }

  /** Sets the earliest timer of a key. */
  void mark(KeyState key, long next) {
    KeyState.Waiting waiting = part.apply(key);
    waiting.next = next;
    if (next < waiting.mark) {
      waiting.mark = next;
      index.add(next, key.keyBytes);
    }
  }

  /** The earliest mark. */
  long first() {
    TimeIndex.Due due = index.peek();
    return due == null ? KeyState.NEVER : due.time();
  }
}
