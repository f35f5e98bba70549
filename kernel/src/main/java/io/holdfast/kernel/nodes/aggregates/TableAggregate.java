package io.holdfast.kernel.nodes.aggregates;

import io.holdfast.kernel.nodes.tables.Entry;
import io.holdfast.kernel.nodes.tables.TableNode;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.types.DataType;

/** An aggregate of a table's rows. A group whose value cannot be computed stays, without a value, until it can. */
abstract class TableAggregate extends TableNode {
  final GroupRow rows;

  TableAggregate(NodeSpec node, Task task, GroupRow rows, StoreSpec store, DataType state, boolean readByOthers) {
    super(node, task, store, state, readByOthers);
    this.rows = rows;
  }

  @Override
  protected Object shown(Entry e, StreamRecord r) {
    try {
      return super.shown(e, r);
    } catch (Exception failure) {
      task.deadLetter(this, r, FailureReasons.of(failure));
      return null;
    }
  }
}
