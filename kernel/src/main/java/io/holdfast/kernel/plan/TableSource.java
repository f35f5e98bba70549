package io.holdfast.kernel.plan;

import io.holdfast.kernel.nodes.streams.Stateless;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Task;

/** The reader of a table's topic: its records go to the stage of the table. */
final class TableSource extends NodeSpec {
  TableSource(NodeSpec table) {
    super(new Head(table.id, table.at, -1, java.util.List.of()));
    key = table.key;
    value = table.value;
  }

  @Override
  public Node open(Task task) {
    return new Stateless.Pass(this);
  }
}
