package io.holdfast.kernel.nodes.folds;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The slots of stored states during a batch: each time a state is loaded, it is the same slot. */
final class LoadedSlots {
  private final List<Slot> inOrder = new ArrayList<>();
  private final List<Object> contents = new ArrayList<>();
  private int position;
  /** The same by content, once the order is another one. */
  private Map<Object, Slot> byContent;

  Slot of(Object stored) {
    Object content = Slot.content(stored);
    if (position < inOrder.size() && contents.get(position).equals(content)) {
      return inOrder.get(position++);
    }
    if (position < inOrder.size() && byContent == null) {
      byContent = new HashMap<>();
      for (int i = 0; i < inOrder.size(); i++) {
        byContent.putIfAbsent(contents.get(i), inOrder.get(i));
      }
    }
    return byContent == null ? add(content, stored) : byContent.computeIfAbsent(content, c -> add(c, stored));
  }

  private Slot add(Object content, Object stored) {
    Slot made = Slot.loaded(stored);
    inOrder.add(made);
    contents.add(content);
    position = inOrder.size();
    return made;
  }

  /** The states will be loaded again. */
  void rewind() {
    position = 0;
  }

  void forget() {
    inOrder.clear();
    contents.clear();
    position = 0;
    byContent = null;
  }
}
