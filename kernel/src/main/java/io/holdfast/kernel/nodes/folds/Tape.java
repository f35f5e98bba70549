package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.task.Rehearsal;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The operations of a fold in Python during a batch, in an order in which they can be made, and their outcomes.
 *
 * <p>As a rule no operation fails, and the node makes the same operations in the same order as its rehearsal. Then nothing is looked up.
 */
final class Tape implements Rehearsal.Script {
  private final TapeCalls calls;
  private final LoadedSlots loaded = new LoadedSlots();
  private Task task;
  /** All operations, and how many of them the node has made again. */
  private final List<Slot> played = new ArrayList<>();
  private int position;
  /** The same by operation and operands, once the order differs. */
  private Map<Slot, Slot> known;
  private final List<Slot> pending = new ArrayList<>();
  /** The last outcome of each record, if it failed or left no state. */
  private final List<Map<byte[], Slot.Outcome>> lastFailures = new ArrayList<>();

  Tape(PythonFolder.Plan plan) {
    this.calls = new TapeCalls(plan);
    for (int kind = 0; kind <= Slot.MERGE; kind++) {
      lastFailures.add(new IdentityHashMap<>());
    }
  }

  void callBy(Task owner) {
    task = owner;
  }

  void limitTo(StateLimit limit) {
    calls.limitTo(limit);
  }

  /** The slot of an operation; the same one each time. */
  Slot slot(int kind, Slot left, Slot right, StreamRecord record) {
    if (known == null && position < played.size()) {
      Slot next = played.get(position);
      if (next.isOf(kind, left, right, record)) {
        position++;
        return next;
      }
      indexPlayed();
    }
    Slot made = new Slot(kind, left, right, record);
    Slot before = known == null ? null : known.putIfAbsent(made, made);
    if (before != null) {
      return before;
    }
    played.add(made);
    position++;
    pending.add(made);
    return made;
  }

  /** From here on, operations are looked up. */
  private void indexPlayed() {
    if (known == null) {
      known = new HashMap<>();
      played.forEach(each -> known.putIfAbsent(each, each));
    }
  }

  /** A state that was stored; the same one each time. */
  Slot loaded(Object stored) {
    return loaded.of(stored);
  }

  /** The outcome that a rehearsal assumes: that of the record's last try, on whatever state. */
  Slot.Outcome expected(Slot slot) {
    Slot.Outcome last = lastFailures.get(slot.kind).get(slot.record.order);
    return last == null ? Slot.Outcome.MADE : last;
  }

  /** Requests a state itself, if only its outcome is known. */
  void want(Slot slot) {
    if (slot.outcome == Slot.Outcome.MADE && !slot.wanted) {
      pending.add(slot);
    }
    slot.wanted = true;
  }

  @Override
  public boolean learn() {
    boolean asExpected = make();
    position = 0;
    loaded.rewind();
    return !asExpected;
  }

  /** Makes the pending states; returns whether none failed. */
  boolean make() {
    if (pending.isEmpty()) {
      return true;
    }
    List<Slot> now = new ArrayList<>(pending);
    pending.clear();
    calls.make(task.python(), now);
    boolean asExpected = true;
    for (int i = 0; i < now.size(); i++) {
      asExpected &= remember(now.get(i));
    }
    if (!asExpected) {
      indexPlayed();
      alias(now);
    }
    return asExpected;
  }

  private boolean remember(Slot made) {
    Map<byte[], Slot.Outcome> before = lastFailures.get(made.kind);
    if (made.outcome != Slot.Outcome.MADE) {
      before.put(made.record.order, made.outcome);
      return false;
    }
    if (!before.isEmpty()) {
      before.remove(made.record.order);
    }
    return true;
  }

  /** An operation on a state that has failed was made on the one before it, and is indexed as such, too. */
  private void alias(List<Slot> made) {
    for (Slot each : made) {
      Slot left = Slot.standing(each.left);
      Slot right = Slot.standing(each.right);
      if (left != each.left || right != each.right) {
        known.putIfAbsent(each.of(left, right), each);
      }
    }
  }

  @Override
  public void forget() {
    loaded.forget();
    played.clear();
    position = 0;
    known = null;
    pending.clear();
    lastFailures.forEach(Map::clear);
  }
}
