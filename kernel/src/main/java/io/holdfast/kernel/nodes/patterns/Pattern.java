package io.holdfast.kernel.nodes.patterns;

import io.holdfast.kernel.expr.BoundExpressions;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * A pattern: a sequence of steps in the records of a key.
 *
 * @param steps those that take records
 * @param absentAfter conditions of records that must not come after the last step until the deadline
 * @param strict whether a record between two steps ends the match
 * @param overlap whether matches may share records
 * @param within the time from the first record to the last, in milliseconds
 * @param record the type of the records
 * @param type the type of a match: a field for each step
 */
public record Pattern(
    List<Step> steps,
    List<Condition> absentAfter,
    boolean strict,
    boolean overlap,
    long within,
    DataType record,
    StructType type)
    implements Serializable {

  /**
   * A condition over key, record and the records of earlier steps.
   *
   * @param readsEarlierSteps whether it depends on earlier steps
   */
  public record Condition(BoundExpressions test, boolean readsEarlierSteps) implements Serializable {}

  /**
   * A step that takes records.
   *
   * @param least how many it needs
   * @param more whether it takes further ones after that
   * @param several whether a match holds them as an array
   * @param absentBefore conditions of records that must not come between the step before and this one
   */
  public record Step(Condition condition, int least, boolean more, boolean several, List<Condition> absentBefore)
      implements Serializable {}

  Step lastStep() {
    return steps.get(steps.size() - 1);
  }

  /** Whether a match may become complete at its deadline only. */
  boolean waits() {
    return !absentAfter.isEmpty() || lastStep().more;
  }
}
