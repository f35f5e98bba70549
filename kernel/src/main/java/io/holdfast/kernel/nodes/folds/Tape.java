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
 * What a fold in Python was asked for in a batch, and what is known of it: the order in which it was asked for is one to make it in.
 *
 * <p>As a rule all goes well, and the node asks for the same in the same order as its rehearsal. Then nothing is looked up.
 */
final class Tape implements Rehearsal.Script {
  private final TapeCalls calls;
  private final LoadedSlots loaded = new LoadedSlots();
  private Task task;
  /** All that was asked for, and how much of it the node has asked for again. */
  private final List<Slot> played = new ArrayList<>();
  private int position;
  /** The same by what it is made of, once the order is another one. */
  private Map<Slot, Slot> known;
  private final List<Slot> asked = new ArrayList<>();
  /** How a record fared when it was tried last, if it did not go well. */
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

  /** The state that comes of these; the same one each time. */
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
    asked.add(made);
    return made;
  }

  /** From here on, what was asked for is looked up. */
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

  /** What a rehearsal assumes: a record fares as it did when it was tried last, on whatever state. */
  Slot.Outcome expected(Slot slot) {
    Slot.Outcome last = lastFailures.get(slot.kind).get(slot.record.order);
    return last == null ? Slot.Outcome.MADE : last;
  }

  /** Asks for a state itself, of which only its outcome is known. */
  void want(Slot slot) {
    if (slot.outcome == Slot.Outcome.MADE && !slot.wanted) {
      asked.add(slot);
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

  /** Makes what was asked for; tells whether all went well. */
  boolean make() {
    if (asked.isEmpty()) {
      return true;
    }
    List<Slot> now = new ArrayList<>(asked);
    asked.clear();
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

  /** What was made of a state that has failed was made of the one before it, and is known as such, too. */
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
    asked.clear();
    lastFailures.forEach(Map::clear);
  }
}
