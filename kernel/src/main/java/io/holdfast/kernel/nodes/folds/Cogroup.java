package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** One state of several groups: each input has its own function that adds its values to it. */
public final class Cogroup implements Folder {
  private final Folder[] groups;

  private Cogroup(Folder[] groups) {
    this.groups = groups;
  }

  /**
   * What a {@link Cogroup} needs to know.
   *
   * @param adders one per input
   * @param merge merges two states; null where groups never become one
   */
  public record CogroupPlan(DataType state, BoundExpressions initial, List<BoundExpressions> adders, BoundExpressions merge) implements Folder.Plan {
    @Override
    public DataType value() {
      return state;
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new Cogroup(adders.stream()
          .map(add -> new NativeFolds.FoldPlan(state, initial, add, merge, null).open(node, task)).toArray(Folder[]::new));
    }
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    return groups[r.port()].add(state, r);
  }

  @Override
  public Object merge(Object state, Object other, StreamRecord r) {
    return groups[0].merge(state, other, r);
  }
}
