package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The changes of a table during a batch, of which the last of each key is emitted, with the value before the first. */
final class LastChanges {
  private final Map<Bytes, StreamRecord> last = new HashMap<>();

  void add(byte[] key, StreamRecord change) {
    last.merge(new Bytes(key), change, (earlier, later) -> later.change(earlier.old, later.value, later.timestamp));
  }

  /** Returns and clears the last changes in order, without those of keys that were added and deleted within the batch. */
  List<StreamRecord> take() {
    if (last.isEmpty()) {
      return List.of();
    }
    List<StreamRecord> out = new ArrayList<>(last.values());
    last.clear();
    out.removeIf(change -> change.old == null && change.value == null);
    out.sort((a, b) -> Order.compare(a.order, b.order));
    return out;
  }
}
