package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.Section;
import io.holdfast.kernel.stores.TimeIndex;
import java.util.Arrays;
import java.util.List;

/**
 * The time of a table of sessions, and what waits for it.
 *
 * <p>The index has one entry per session. A session that has grown since is asked for again when its entry is due, so that growing
 * costs nothing here.
 */
final class SessionClock {
  private static final char INDEX = 255;
  private final long gap;
  private final long grace;
  private final long retention;
  private final boolean onClose;
  /** Each input has a time of its own, as in Kafka Streams; only what is told once, at the end, needs a common one. */
  private final StreamTime[] times;
  private final TimeIndex index;

  SessionClock(KeyValueStore store, SessionTimes of, long grace, boolean onClose, int inputs) {
    this.gap = of.gap();
    this.grace = grace;
    this.retention = of.retention();
    this.onClose = onClose;
    this.times = new StreamTime[onClose ? 1 : inputs];
    Arrays.setAll(times, i -> new StreamTime(new Section(store, (char) i)));
    this.index = new TimeIndex(new Section(store, INDEX), retention / 50);
  }

  /** The beginning of a task's batch. */
  void load() {
    for (StreamTime each : times) {
      each.load();
    }
    index.load();
  }

  /** The end of the batch. */
  void save() {
    for (StreamTime each : times) {
      each.save();
    }
    index.flush();
  }

  /** The time of an input after a record of it. */
  long observe(int input, long timestamp) {
    return times[Math.min(input, times.length - 1)].observe(timestamp);
  }

  void observe(long time) {
    for (StreamTime each : times) {
      each.observe(time);
    }
  }

  /** The latest time of all inputs; Long.MIN_VALUE if nothing has come yet. */
  long now() {
    long latest = times[0].now();
    for (int i = 1; i < times.length; i++) {
      latest = Math.max(latest, times[i].now());
    }
    return latest;
  }

  /** Whether a session that ends here is over for an input that has come to this time. */
  boolean isLate(long end, long now) {
    return end < now - grace - gap;
  }

  /** Whether a record can find a session, at the time before it. */
  boolean isFound(Session s, long before) {
    return before == Long.MIN_VALUE || s.end > before - retention;
  }

  /** Whether the session is to be told of, because no record can reach it any more. */
  boolean closes(Session s, long now) {
    return onClose && !s.told && closing(s) <= now;
  }

  /** Whether the session is to be forgotten. */
  boolean ends(Session s, long now) {
    return ending(s) <= now;
  }

  private long closing(Session s) {
    return s.end + gap + grace + 1;
  }

  /** A session that is still to be told of waits for that. */
  private long ending(Session s) {
    return onClose ? Math.max(s.end + retention, closing(s)) : s.end + retention;
  }

  /** Asks for the session at the time when something is to be done about it. */
  void await(KeySessions of, Session s) {
    s.awaited = onClose && !s.told ? closing(s) : ending(s);
    index.add(s.awaited, of.bytes);
  }

  /** What is due by now: the time, and the bytes of a key. */
  List<TimeIndex.Due> due() {
    return index.pollUpTo(now());
  }
}
