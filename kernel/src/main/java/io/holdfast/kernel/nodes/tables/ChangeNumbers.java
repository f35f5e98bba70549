package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds the records, in real-time mode, that a later change of the same entry has overtaken in another task.
 *
 * <p>At the end of an epoch no record is in flight, so the numbers are in memory only. Keys whose last change is long ago are dropped.
 */
final class ChangeNumbers {
  private static final int MOST = 100_000;
  private final Map<Bytes, Long> latest = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Bytes, Long> eldest) {
      return size() > MOST;
    }
  };
  private long epoch;

  boolean test(StreamRecord r, byte[] key, Task task) {
    if (task.liveEpoch() == Task.NOT_LIVE || Order.isReplayed(r.order)) {
      return false;
    }
    if (epoch != task.liveEpoch()) {
      epoch = task.liveEpoch();
      latest.clear();
    }
    if (latest.isEmpty() && r.number() == StreamRecord.UNNUMBERED) {
      return false;
    }
    Bytes of = new Bytes(key);
    Long known = latest.get(of);
    if (known != null && r.number() < known) {
      return true;
    }
    if (r.number() != StreamRecord.UNNUMBERED) {
      latest.put(of, r.number());
    }
    return false;
  }
}
