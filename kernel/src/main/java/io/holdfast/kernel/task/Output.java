package io.holdfast.kernel.task;

import io.holdfast.kernel.serde.WindowTimes;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** One output of a node: to a node of the same stage, or by an exchange to a later one. */
abstract class Output {
  abstract void send(StreamRecord r);

  /** Whether every update of a table is sent: to a copy, which must be readable as of any position, too, or to a join. */
  boolean every() {
    return false;
  }

  /** Whether the consumer is a copy of a table, or forwards to one. */
  boolean leadsToCopies() {
    return false;
  }

  /** Whether the consumer uses the old value of a table's change. */
  boolean wantsOld() {
    return true;
  }

  /** Discards all records, and answers like the output that it stands for. */
  static final class Discard extends Output {
    private final Output as;

    Discard(Output as) {
      this.as = as;
    }

    @Override
    boolean every() {
      return as.every();
    }

    @Override
    boolean leadsToCopies() {
      return as.leadsToCopies();
    }

    @Override
    boolean wantsOld() {
      return as.wantsOld();
    }

    @Override
    void send(StreamRecord r) {
      // A rehearsal emits nothing.
    }
  }

  /** To a node of the same stage. */
  static final class Local extends Output {
    private final Node target;
    private final int port;
    private final boolean every;

    Local(Node target, int port, boolean every) {
      this.target = target;
      this.port = port;
      this.every = every;
    }

    @Override
    boolean every() {
      return every;
    }

    @Override
    boolean leadsToCopies() {
      return target.leadsToCopies();
    }

    @Override
    boolean wantsOld() {
      return target.wantsOld();
    }

    Node target() {
      return target;
    }

    @Override
    void send(StreamRecord r) {
      target.accept(r, port);
    }
  }

  /** Across an exchange, to the task of the record's key or to every task. */
  static class Exchange extends Output {
    private final int id;
    private final Edge.Route route;
    final Task task;
    final RowCodec keys;
    private final RowCodec values;
    private final RowCodec partials;
    /** The type of keys without their windows; null if they have none. */
    private final DataType inner;

    Exchange(Edge edge, Task task) {
      this.id = edge.id();
      this.route = edge.route();
      this.task = task;
      this.keys = task.codec(edge.key());
      this.values = task.codec(edge.value());
      this.partials = edge.partial() == null ? null : task.codec(edge.partial());
      this.inner = WindowTimes.isWindowed(edge.key()) ? ((StructType) edge.key()).fields()[0].dataType() : null;
    }

    @Override
    boolean every() {
      return route.every();
    }

    @Override
    boolean leadsToCopies() {
      return route.copy();
    }

    @Override
    void send(StreamRecord r) {
      byte[] key = r.key == null ? null : task.keyBytes(r, keys);
      byte[] order = route.hop() ? Order.hop(r.order) : r.order;
      TaskLabels tasks = task.tasks();
      if (route.everywhere()) {
        for (int t = 0; t < tasks.count(); t++) {
          Envelope.write(task.rows(), tasks.label(t), id, r, order, key, values);
        }
        return;
      }
      short label = key == null
          ? tasks.labelOf(Order.topic(order), Order.partition(order))
          : tasks.labelOf(inner == null ? key : unwindowed(r), route.width());
      Envelope.write(task.rows(), label, id, r, order, key, r.partial ? partials : values);
    }

    /** All windows of a key are in the task of the key. */
    private byte[] unwindowed(StreamRecord r) {
      return task.codec(inner).encode(((InternalRow) r.key).get(0, inner));
    }
  }
}
