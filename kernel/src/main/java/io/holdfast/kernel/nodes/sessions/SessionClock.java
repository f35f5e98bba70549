package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.InputTimes;
import io.holdfast.kernel.nodes.StreamTime;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.PrefixedStore;
import io.holdfast.kernel.stores.TimeIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The stream time of a table of sessions, and which sessions close or expire when it advances.
 *
 * <p>The index has one entry per session. When the entry of a session that has grown is due, another is added, so that growing costs
 * nothing here.
 */
final class SessionClock {
  private static final char LATEST_END = 'w';
  private static final char CLOSINGS = 'c';
  private static final char EXPIRIES = 'e';
  private final long gap;
  private final long grace;
  private final long retention;
  private final boolean onClose;
  /** With final results only, there is one stream time for all inputs. */
  private final InputTimes times;
  /** The latest end of all sessions so far: sessions expire by it. */
  private final StreamTime latestEnd;
  private final TimeIndex closings;
  private final TimeIndex expiries;

  SessionClock(KeyValueStore store, SessionTimes of, long grace, boolean onClose, int inputs) {
    this.gap = of.gap();
    this.grace = grace;
    // A session is stored while a record that is not late can join it: one that is a gap later, and may come a gap and the grace late.
    this.retention = Math.max(of.retention(), 2 * gap + grace + 1);
    this.onClose = onClose;
    this.times = new InputTimes(store, onClose ? 1 : inputs);
    this.latestEnd = new StreamTime(new PrefixedStore(store, LATEST_END));
    this.closings = onClose ? TimeIndex.forWait(new PrefixedStore(store, CLOSINGS), (gap + grace)) : null;
    this.expiries = TimeIndex.forWait(new PrefixedStore(store, EXPIRIES), retention);
  }

  /** The beginning of a task's batch. */
  void load() {
    times.load();
    latestEnd.load();
    expiries.load();
    if (closings != null) {
      closings.load();
    }
  }

  /** The end of the batch. */
  void save() {
    times.save();
    latestEnd.save();
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

  /** Whether a session with this end has closed for an input that has come to this time. */
  boolean isLate(long end, long now) {
    return end < now - grace - gap;
  }

  /** Whether a record of this time joins the session: it is within the gap, and the session has not expired. */
  boolean joins(Session s, long time) {
    return s.end >= time - gap && s.start <= time + gap && s.end > expiryTime() - retention;
  }

  /** Whether the session's final result is due, because no record can join it any more. */
  boolean closes(Session s) {
    return onClose && !s.emitted && closing(s) <= now();
  }

  /** Whether the session has expired. */
  boolean isExpired(Session s) {
    return expiry(s) <= expiryTime() && (!onClose || s.emitted);
  }

  /** Sessions whose end is a retention before this have expired. */
  private long expiryTime() {
    return times.expiryTime(latestEnd.now());
  }

  private long closing(Session s) {
    return s.end + gap + grace + 1;
  }

  private long expiry(Session s) {
    return s.end + retention;
  }

  /** Called when a session with this end was written, or deleted because its value is null. */
  void observeEnd(long end) {
    latestEnd.observe(end);
  }

  /** Schedules the next event of a session in the index, unless there is one: first its closing, then its expiry. */
  void schedule(KeySessions of, Session s) {
    if (s.nextDue == Long.MAX_VALUE) {
      scheduleNext(of, s);
    }
  }

  /** The same after an entry was due. */
  void scheduleNext(KeySessions of, Session s) {
    boolean closing = onClose && !s.emitted;
    s.nextDue = closing ? closing(s) : expiry(s);
    (closing ? closings : expiries).add(s.nextDue, of.bytes);
  }

  /** When the last session closes of those that close up to this time; Long.MIN_VALUE if none does. */
  long lastClosing(long time, Function<byte[], KeySessions> sessions) {
    return closings == null ? Long.MIN_VALUE : closings.lastEndUpTo(time, due -> lastClosing(sessions.apply(due.entry()), due.time()));
  }

  /** When the last session closes of those of a key with an entry at this time. */
  private long lastClosing(KeySessions of, long nextDue) {
    return of.live.stream().filter(s -> !s.emitted && s.nextDue == nextDue).mapToLong(this::closing).max().orElse(Long.MIN_VALUE);
  }

  /** The entries that are due: the time, and the bytes of a key. */
  List<TimeIndex.Due> due() {
    if (closings == null) {
      return expiries.pollUpTo(expiryTime());
    }
    List<TimeIndex.Due> closing = closings.pollUpTo(now());
    List<TimeIndex.Due> expired = expiries.pollUpTo(expiryTime());
    if (closing.isEmpty() || expired.isEmpty()) {
      return closing.isEmpty() ? expired : closing;
    }
    List<TimeIndex.Due> both = new ArrayList<>(closing);
    both.addAll(expired);
    return both;
  }
}
