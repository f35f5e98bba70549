package io.holdfast.kernel.task;

import io.holdfast.kernel.stores.Bytes;
import java.util.HashMap;
import java.util.Map;

/**
 * An exchange to a node that only counts: the records of a key become one that stands for all of them.
 *
 * <p>It cannot be seen: the last record of the key in the total order is the one that travels, with the latest time.
 */
final class Counted extends Out.Exchange {
  private static final int MOST_KEYS = 100_000;
  private static final int TRIAL = 20_000;
  private final Map<Bytes, Rec> waiting = new HashMap<>();
  private long seen;
  private boolean worthwhile = true;

  Counted(Edge edge, Task task) {
    super(edge, task);
  }

  @Override
  void send(Rec r) {
    if (!worthwhile || r.key == null || r.value == null) {
      super.send(r);
      return;
    }
    waiting.merge(new Bytes(task.keyBytes(r, keys)), r, Counted::both);
    if (++seen == TRIAL && waiting.size() > TRIAL * 0.7) {
      worthwhile = false;
      drain();
    } else if (waiting.size() >= MOST_KEYS) {
      drain();
    }
  }

  private static Rec both(Rec a, Rec b) {
    Rec last = Order.compare(a.order, b.order) < 0 ? b : a;
    Rec out = new Rec(last.order, Math.max(a.timestamp, b.timestamp), last.key, last.value, null, last.headers);
    out.keyBytes = last.keyBytes;
    out.weight = a.weight + b.weight;
    return out;
  }

  private void drain() {
    waiting.values().forEach(super::send);
    waiting.clear();
  }

  /** The end of a batch. */
  void flush() {
    drain();
    seen = 0;
    worthwhile = true;
  }
}
