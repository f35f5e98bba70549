package io.holdfast.kernel.nodes.patterns;

import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** Whether a record meets a condition of a pattern; one that does not depend on earlier steps is evaluated once per record. */
final class StepTest {
  private static final int FIRST_STEP = 2;
  private final Evaluator evaluator;
  private final ScopeRow scope;
  private final boolean readsEarlierSteps;
  private StreamRecord seen;
  private boolean answer;

  StepTest(Pattern.Condition condition, Pattern pattern, Task task) {
    evaluator = condition.test().open();
    scope = new ScopeRow(FIRST_STEP + pattern.steps().size(), condition.test().usesMeta(), task.program().topics());
    readsEarlierSteps = condition.readsEarlierSteps();
  }

  /**
   * @param match the one that the record may continue
   */
  boolean of(StreamRecord r, PartialMatch match) {
    if (readsEarlierSteps) {
      for (int i = 0; i < match.taken().length; i++) {
        scope.slot(FIRST_STEP + i, match.taken()[i]);
      }
      return evaluator.test(scope.of(r, r.key, r.value));
    }
    if (seen != r) {
      answer = evaluator.test(scope.of(r, r.key, r.value));
      seen = r;
    }
    return answer;
  }
}
