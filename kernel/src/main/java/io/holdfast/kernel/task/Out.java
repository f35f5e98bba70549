package io.holdfast.kernel.task;

/** Where a node's records go: to a node of the same stage, or by an exchange to a later one. */
abstract class Out {
  abstract void send(Rec r);

  /** Whether every update of a table goes this way: a copy of it must be readable as of any place, too. */
  boolean every() {
    return false;
  }

  /** To a node beside it. */
  static final class Local extends Out {
    private final Node target;
    private final int port;

    Local(Node target, int port) {
      this.target = target;
      this.port = port;
    }

    Node target() {
      return target;
    }

    @Override
    void send(Rec r) {
      target.accept(r, port);
    }
  }

  /** Across an exchange, to the task of the record's key or to every task. */
  static class Exchange extends Out {
    private final Edge edge;
    final Task task;
    final RowCodec keys;
    private final RowCodec values;

    Exchange(Edge edge, Task task) {
      this.edge = edge;
      this.task = task;
      this.keys = task.codec(edge.key());
      this.values = task.codec(edge.value());
    }

    @Override
    boolean every() {
      return edge.every();
    }

    @Override
    void send(Rec r) {
      byte[] key = r.key == null ? null : task.keyBytes(r, keys);
      byte[] order = edge.hop() ? Order.hop(r.order) : r.order;
      Tasks tasks = task.tasks();
      if (edge.everywhere()) {
        for (int t = 0; t < tasks.count(); t++) {
          task.output(Envelope.encode(tasks.label(t), edge.id(), r, order, key, values));
        }
        return;
      }
      short label = key == null
          ? tasks.labelOf(Order.topic(order), Order.partition(order))
          : tasks.labelOf(key, edge.width());
      task.output(Envelope.encode(label, edge.id(), r, order, key, values));
    }
  }
}
