package io.holdfast.kernel.task;

import io.holdfast.kernel.stores.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** An exchange that combines the records of a key on the way. */
final class Combined extends Out.Exchange {
  private static final int MOST_KEYS = 1 << 17;
  /** Batches without combining after one in which it did not help. */
  private static final int PAUSE = 15;
  private final Map<Bytes, Group> waiting = new HashMap<>();
  private final Combiner combiner;
  private final Consumer<Rec> out = super::send;
  private long seen;
  private int pause;

  /** The records of one key. */
  private static final class Group {
    private Object state;
    private Rec last;
    private long time = Long.MIN_VALUE;

    void add(Object newState, Rec r) {
      state = newState;
      time = Math.max(time, r.timestamp);
      if (last == null || Order.compare(last.order, r.order) < 0) {
        last = r;
      }
    }
  }

  Combined(Edge edge, Task task) {
    super(edge, task);
    combiner = edge.combiner().open(task);
  }

  @Override
  void send(Rec r) {
    if (pause > 0 || r.key == null || r.value == null || r.old != null || !take(r)) {
      super.send(r);
    } else if (waiting.size() >= MOST_KEYS) {
      pause = waiting.size() > seen * 0.7 ? PAUSE : 0;
      drain();
    }
  }

  /** Whether the record was taken; one that fails here goes its way, to fail where it is told of. */
  private boolean take(Rec r) {
    Bytes key = new Bytes(task.keyBytes(r, keys));
    Group group = waiting.get(key);
    try {
      Object state = combiner.add(group == null ? null : group.state, r);
      if (group == null) {
        group = new Group();
        waiting.put(key, group);
      }
      group.add(state, r);
      seen++;
      return true;
    } catch (Exception failure) {
      return false;
    }
  }

  private void drain() {
    for (Group group : waiting.values()) {
      combiner.finish(group.state, group.last.withTime(group.time), out);
    }
    waiting.clear();
    seen = 0;
  }

  /** The end of a batch. */
  void flush() {
    drain();
    pause = Math.max(0, pause - 1);
  }
}
