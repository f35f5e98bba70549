package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/**
 * A table of windows around records that are at most a difference apart; both ends are part of a window.
 *
 * <p>As Kafka Streams' KStreamSlidingWindowAggregate: a record at t has a window that ends with it, [t - d, t], and one that begins
 * behind it, [t + 1, t + 1 + d], as soon as there is something in it.
 */
public final class SlidingWindowTable extends WindowedTable {
  private final long difference;
  private final long retention;

  /** The windows around a record. */
  private static final class Around {
    /** The windows that contain the record, latest first. */
    final List<WindowEntry> hit = new ArrayList<>();
    /** The latest window that contains the record and ends after it. */
    WindowEntry right;
    /** The latest window that ends before it. */
    WindowEntry left;
    boolean leftExists;
    boolean rightExists;
    /** The time of the previous record; null if there is none, or if it is not needed. */
    Long previous;
    /** Whether there was a record at the same time, so that all windows exist. */
    boolean complete;
  }

  public SlidingWindowTable(NodeSpec node, Task task, long difference, long retention, WindowOptions options) {
    super(node, task, options, retention);
    this.difference = difference;
    this.retention = retention;
  }

  @Override
  protected void assign(StreamRecord r, KeyWindows of, long now) {
    long t = r.timestamp;
    if (closedAt(t + difference) <= now) {
      late(r, t, t + difference);
      return;
    }
    windows.load(of);
    if (t < difference) {
      early(r, of, now);
      return;
    }
    Around around = look(of, t);
    Object right = needsRight(around, t) ? windows.copy(around.right.state) : null;
    long rightTime = right == null ? 0 : around.right.timestamp;
    boolean begins = !around.complete && !around.leftExists;
    boolean continues = begins && around.previous != null && t - difference <= around.previous;
    Object left = continues ? windows.copy(around.left.state) : null;
    around.hit.forEach(e -> update(e, r, now));
    if (!around.complete && around.previous != null) {
      rightOfPrevious(r, of, around.previous + 1, now);
    }
    if (begins) {
      create(windows.get(of, t - difference, t), left, r, now);
    }
    if (right != null) {
      give(windows.get(of, t + 1, t + 1 + difference), right, rightTime);
    }
  }

  /** Looks through the windows near a record, latest first, until no further one can matter. */
  private Around look(KeyWindows of, long t) {
    Around a = new Around();
    for (WindowEntry e : visible(of, Math.max(0, t - 2 * difference), t + 1).descendingMap().values()) {
      if (!isVisible(e)) {
        continue;
      }
      if (e.start == t + 1) {
        a.rightExists = true;
      } else if (e.end > t) {
        a.right = a.right == null ? e : a.right;
        a.hit.add(e);
      } else if (e.end == t) {
        a.leftExists = true;
        a.hit.add(e);
        a.complete = e.timestamp >= t;
        a.previous = a.complete ? null : e.timestamp;
        if (a.complete) {
          return a;
        }
      } else {
        a.left = e;
        a.previous = e.timestamp;
        return a;
      }
    }
    return a;
  }

  private static NavigableMap<Long, WindowEntry> visible(KeyWindows of, long from, long to) {
    return of.windows.subMap(from, true, to, true);
  }

  /** A window beyond the retention does not exist any more, even if its state has not been removed yet. */
  private boolean isVisible(WindowEntry e) {
    long until = clock.expiryTime();
    return e.state != null && (until == Long.MIN_VALUE || e.start > until - retention);
  }

  private static boolean needsRight(Around a, long t) {
    return !a.complete && !a.rightExists && a.right != null && a.right.timestamp > t;
  }

  /** A record before the first difference since 1970: all of them share the window that begins there. */
  private void early(StreamRecord r, KeyWindows of, long now) {
    long t = r.timestamp;
    Around a = new Around();
    WindowEntry combined = null;
    for (WindowEntry e : visible(of, 0, t + 1).values()) {
      if (!isVisible(e)) {
        continue;
      }
      if (e.start == 0) {
        combined = e;
        a.previous = e.timestamp < t ? e.timestamp : null;
      } else if (e.start <= t) {
        a.right = e;
        a.hit.add(e);
      } else {
        a.rightExists = true;
      }
    }
    if (a.right == null && combined != null && combined.timestamp > t) {
      a.right = combined;
    }
    Object right = needsRight(a, t) ? windows.copy(a.right.state) : null;
    long rightTime = right == null ? 0 : a.right.timestamp;
    a.hit.forEach(e -> update(e, r, now));
    if (right != null) {
      give(windows.get(of, t + 1, t + 1 + difference), right, rightTime);
    }
    if (a.previous != null && !exists(of, a.previous + 1)) {
      create(windows.get(of, a.previous + 1, a.previous + 1 + difference), null, r, now);
    }
    if (combined == null) {
      create(windows.get(of, 0, difference), null, r, now);
    } else {
      update(combined, r, now);
    }
  }

  private boolean exists(KeyWindows of, long start) {
    WindowEntry e = of.windows.get(start);
    return e != null && isVisible(e);
  }

  private void rightOfPrevious(StreamRecord r, KeyWindows of, long start, long now) {
    if (!exists(of, start) && start + difference >= r.timestamp) {
      create(windows.get(of, start, start + difference), null, r, now);
    }
  }

  /** Creates a window with the state of an earlier one, and adds the record. */
  private void create(WindowEntry e, Object before, StreamRecord r, long now) {
    if (closedAt(e.end) <= now) {
      late(r, e.start, e.end);
      return;
    }
    open(e);
    put(e, folder.add(before, r), r.timestamp);
  }

  private void update(WindowEntry e, StreamRecord r, long now) {
    if (closedAt(e.end) <= now) {
      late(r, e.start, e.end);
    } else {
      add(e, r);
    }
  }

  private void give(WindowEntry e, Object state, long timestamp) {
    open(e);
    put(e, state, timestamp);
  }

  /** The end is part of the window, so that one record more belongs to it. */
  @Override
  protected long closedAt(long end) {
    return end + options.grace() + 1;
  }

  @Override
  protected long retention(long start, long end) {
    return retention;
  }

  @Override
  protected boolean overlap() {
    return true;
  }
}
