package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.task.Reasons;
import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.Stamped;
import io.holdfast.kernel.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Two tables joined by their keys, without a store of its own. */
public final class JoinedView extends View {
  private static final byte[] BEFORE_THE_BATCH = {};
  private final Sides sides;
  /** What the join shows now, of the keys that this batch touched. */
  private final Map<Bytes, Optional<Object>> shown = new HashMap<>();

  public JoinedView(Spec spec, Task task, Sides.How how, boolean every) {
    super(spec, task, every);
    sides = new Sides(spec, task, how);
  }

  @Override
  protected boolean gathers() {
    return true;
  }

  @Override
  protected void run(List<Rec> batch) {
    shown.clear();
    super.run(batch);
  }

  @Override
  protected void process(Rec r) {
    if (r.isOutdated()) {
      task.skip(this, r); // The join is that of the latest versions.
      return;
    }
    byte[] keyBytes = task.keyBytes(r, keys);
    Bytes key = new Bytes(keyBytes);
    Object before = shown.computeIfAbsent(key, k -> Optional.ofNullable(beforeTheBatch(keyBytes, r.key))).orElse(null);
    shown.put(key, Optional.empty());
    Sides.Change change = sides.after(r, keyBytes);
    if (change == null && before == null) {
      return;
    }
    // A table joined with itself loses both sides at once: there is nothing to join with, and something to delete.
    Object after = change == null ? null : change.value();
    shown.put(key, Optional.ofNullable(after));
    tell(r.change(before, after, change == null ? r.timestamp : change.timestamp()));
  }

  /** Of values on which the join fails nothing was shown. */
  private Object beforeTheBatch(byte[] keyBytes, Object key) {
    try {
      Stamped found = sides.asOf(keyBytes, key, BEFORE_THE_BATCH);
      return found == null ? null : found.value();
    } catch (Exception neverShown) {
      return null;
    }
  }

  @Override
  public Stamped stampedAsOf(byte[] keyBytes, Object key, byte[] order) {
    try {
      return sides.asOf(keyBytes, key, order);
    } catch (Exception failure) {
      throw new IllegalStateException("the table " + id() + " fails on the values of this key: " + Reasons.of(failure));
    }
  }
}
