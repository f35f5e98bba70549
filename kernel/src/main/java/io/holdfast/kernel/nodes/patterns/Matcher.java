package io.holdfast.kernel.nodes.patterns;

import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.List;

/** How a record, or a deadline, changes the partial matches of a key. */
final class Matcher {
  private final Pattern pattern;
  private final List<StepTest> steps = new ArrayList<>();
  /** Before each step, and after the last. */
  private final List<List<StepTest>> absences = new ArrayList<>();

  /**
   * @param open the partial matches now, in the order of their first records
   * @param done the complete matches
   * @param changed whether the partial matches have changed
   * @param tookRecord whether one of them took the record
   */
  record Outcome(List<PartialMatch> open, List<PartialMatch> done, boolean changed, boolean tookRecord) {}

  Matcher(Pattern pattern, Task task) {
    this.pattern = pattern;
    for (Pattern.Step step : pattern.steps()) {
      steps.add(new StepTest(step.condition(), pattern, task));
      absences.add(tests(step.absentBefore(), task));
    }
    absences.add(tests(pattern.absentAfter(), task));
  }

  private List<StepTest> tests(List<Pattern.Condition> conditions, Task task) {
    return conditions.stream().map(c -> new StepTest(c, pattern, task)).toList();
  }

  /** Applies a record to the partial matches of its key. */
  Outcome take(List<PartialMatch> before, StreamRecord r, long number) {
    MatchCollector out = new MatchCollector();
    boolean changed = false;
    boolean tookRecord = false;
    for (PartialMatch match : before) {
      if (out.passed(match)) {
        continue;
      }
      PartialMatch next = next(match, r, number);
      changed |= next != match;
      tookRecord |= next != null && next.last() == number;
      out.add(next);
    }
    PartialMatch begun = number > out.past ? begun(r, number) : null;
    out.add(begun);
    return new Outcome(out.open(), out.done, changed || begun != null, tookRecord || begun != null);
  }

  /** Completes or drops the matches whose deadline has passed. */
  Outcome settle(List<PartialMatch> before, long deadline) {
    MatchCollector out = new MatchCollector();
    for (PartialMatch match : before) {
      if (out.passed(match)) {
        continue;
      }
      if (match.deadline(pattern) > deadline) {
        out.open.add(match);
      } else if (match.isCompleteAtDeadline(pattern)) {
        out.complete(match);
      }
    }
    List<PartialMatch> open = out.open();
    return new Outcome(open, out.done, open.size() != before.size(), false);
  }

  private PartialMatch begun(StreamRecord r, long number) {
    if (!steps.get(0).of(r, null)) {
      return null;
    }
    return PartialMatch.of(r.timestamp, number, steps.size()).with(pattern, 0, r, number);
  }

  /** The match after a record; null if it cannot become complete any more. */
  private PartialMatch next(PartialMatch match, StreamRecord r, long number) {
    if (r.timestamp < match.start()) {
      return match;
    }
    int at = match.step();
    if (at == steps.size()) {
      return any(absences.get(at), r, match) ? null : match;
    }
    if (match.count() >= pattern.steps().get(at).least()) {
      return afterEnough(match, r, number);
    }
    if (steps.get(at).of(r, match)) {
      return match.with(pattern, at, r, number);
    }
    boolean over = pattern.strict() || match.count() == 0 && any(absences.get(at), r, match);
    return over ? null : match;
  }

  /** The step has enough records and may take more: the next step is tried first. */
  private PartialMatch afterEnough(PartialMatch match, StreamRecord r, long number) {
    int at = match.step();
    boolean last = at + 1 == steps.size();
    if (!last && steps.get(at + 1).of(r, match)) {
      return match.with(pattern, at + 1, r, number);
    }
    if (steps.get(at).of(r, match)) {
      return match.with(pattern, at, r, number);
    }
    if (any(absences.get(at + 1), r, match)) {
      return null;
    }
    if (!pattern.strict()) {
      return match;
    }
    return last ? match.ended(pattern) : null;
  }

  private static boolean any(List<StepTest> tests, StreamRecord r, PartialMatch match) {
    for (StepTest test : tests) {
      if (test.of(r, match)) {
        return true;
      }
    }
    return false;
  }

  /** Collects matches in order; without overlap a complete one ends those that began before its last record, or with it. */
  private final class MatchCollector {
    final List<PartialMatch> open = new ArrayList<>();
    final List<PartialMatch> done = new ArrayList<>();
    long past = -1;

    boolean passed(PartialMatch match) {
      return match.first() <= past;
    }

    void add(PartialMatch match) {
      if (match != null && match.isComplete(pattern)) {
        complete(match);
      } else if (match != null) {
        open.add(match);
      }
    }

    void complete(PartialMatch match) {
      done.add(match);
      past = pattern.overlap() ? past : Math.max(past, match.last());
    }

    List<PartialMatch> open() {
      open.removeIf(this::passed);
      return open;
    }
  }
}
