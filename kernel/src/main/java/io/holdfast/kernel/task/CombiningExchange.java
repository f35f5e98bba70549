package io.holdfast.kernel.task;

import java.util.function.Consumer;

/** An exchange that combines the records of a key before it sends them. */
final class CombiningExchange extends Output.Exchange {
  /** Batches without combining after one in which it did not help. */
  private static final int PAUSE = 15;
  private final CombinerGroups groups = new CombinerGroups();
  private final Combiner combiner;
  private final Consumer<StreamRecord> out = super::send;
  private int pause;

  CombiningExchange(Edge edge, Task task) {
    super(edge, task);
    combiner = edge.combiner().open(task);
  }

  @Override
  void send(StreamRecord r) {
    if (pause > 0 || r.key == null || r.value == null || r.old != null || !take(r)) {
      super.send(r);
    } else if (groups.isFull()) {
      pause = groups.areWorthwhile() ? 0 : PAUSE;
      drain();
    }
  }

  /** Whether the record was combined; one that fails here is sent as it is, so that it fails at the consumer and becomes a dead letter there. */
  private boolean take(StreamRecord r) {
    CombinerGroups.Group group = groups.of(task.keyBytes(r, keys), r);
    try {
      Object state = combiner.add(group.state, r);
      if (state != group.state) {
        group.state = state;
      }
    } catch (Exception failure) {
      return false;
    }
    groups.added(group, r);
    return true;
  }

  private void drain() {
    groups.drain(group -> combiner.finish(group.state, group.last(), out));
  }

  /** The end of a batch. */
  void flush() {
    drain();
    pause = Math.max(0, pause - 1);
  }
}
