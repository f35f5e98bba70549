package io.holdfast.kernel.python;

import io.holdfast.kernel.task.Rec;
import io.holdfast.kernel.task.Rehearsal;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** What a fold in Python was asked for in a batch, and what is known of it: the order in which it was asked for is one to make it in. */
final class Tape implements Rehearsal.Script {
  private final TapeCalls calls;
  private Task task;
  private final Map<Slot, Slot> known = new HashMap<>();
  private final Map<Object, Slot> loaded = new HashMap<>();
  private final List<Slot> asked = new ArrayList<>();
  /** How a record fared when it was tried last, if it did not go well. */
  private final List<Map<byte[], Slot.Outcome>> misfortunes = new ArrayList<>();

  Tape(PythonFolder.Plan plan) {
    this.calls = new TapeCalls(plan);
    for (int kind = 0; kind <= Slot.MERGE; kind++) {
      misfortunes.add(new IdentityHashMap<>());
    }
  }

  void callBy(Task owner) {
    task = owner;
  }

  /** The state that comes of these; the same one each time. */
  Slot slot(int kind, Slot left, Slot right, Rec rec) {
    Slot made = new Slot(kind, left, right, rec);
    Slot before = known.putIfAbsent(made, made);
    if (before != null) {
      return before;
    }
    asked.add(made);
    return made;
  }

  /** A state that was stored; the same one each time. */
  Slot loaded(Object stored) {
    return loaded.computeIfAbsent(Slot.content(stored), content -> Slot.loaded(stored));
  }

  /** What a rehearsal assumes: a record fares as it did when it was tried last, on whatever state. */
  Slot.Outcome expected(Slot slot) {
    Slot.Outcome last = misfortunes.get(slot.kind).get(slot.rec.order);
    return last == null ? Slot.Outcome.MADE : last;
  }

  @Override
  public boolean learn() {
    if (asked.isEmpty()) {
      return false;
    }
    List<Slot> now = new ArrayList<>(asked);
    asked.clear();
    calls.make(task.python(), now);
    boolean smooth = true;
    for (Slot each : now) {
      smooth &= remember(each);
    }
    if (!smooth) {
      alias(now);
    }
    return !smooth;
  }

  private boolean remember(Slot made) {
    Map<byte[], Slot.Outcome> before = misfortunes.get(made.kind);
    if (made.outcome != Slot.Outcome.MADE) {
      before.put(made.rec.order, made.outcome);
      return false;
    }
    if (!before.isEmpty()) {
      before.remove(made.rec.order);
    }
    return true;
  }

  /** Asks for a state itself, of which only its outcome is known. */
  void want(Slot slot) {
    if (slot.outcome == Slot.Outcome.MADE && !slot.wanted) {
      asked.add(slot);
    }
    slot.wanted = true;
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
    known.clear();
    loaded.clear();
    asked.clear();
    misfortunes.forEach(Map::clear);
  }
}
