package io.holdfast.kernel.nodes.patterns;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.ReplayMark;
import io.holdfast.kernel.task.StreamRecord;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;

/**
 * A partial match. It is immutable: a record makes another one of it.
 *
 * @param start the time of its first record
 * @param latest the latest time of its records
 * @param first the number of its first record among those that matches of the key took
 * @param last the number of its last record
 * @param step its current step; the number of steps if all have enough records
 * @param count how many records the current step has
 * @param taken per step the record, or the array of them
 * @param headers those of its last record
 */
record PartialMatch(long start, long latest, long first, long last, int step, int count, Object[] taken, RawHeader[] headers) {
  static PartialMatch of(long time, long number, int steps) {
    return new PartialMatch(time, time, number, number, 0, 0, new Object[steps], null);
  }

  /** The match with one more record, at its current step or the next. */
  PartialMatch with(Pattern pattern, int at, StreamRecord r, long number) {
    Pattern.Step filled = pattern.steps().get(at);
    int now = (at == step ? count : 0) + 1;
    boolean full = now == filled.least() && !filled.more();
    Object[] all = taken.clone();
    all[at] = filled.several() ? appended((ArrayData) taken[at], r.value, pattern) : r.value;
    RawHeader[] its = ReplayMark.carried(headers, r.headers);
    return new PartialMatch(start, Math.max(latest, r.timestamp), first, number, full ? at + 1 : at, full ? 0 : now, all, its);
  }

  private static ArrayData appended(ArrayData before, Object record, Pattern pattern) {
    int n = before == null ? 0 : before.numElements();
    Object[] all = new Object[n + 1];
    for (int i = 0; i < n; i++) {
      all[i] = before.get(i, pattern.record());
    }
    all[n] = record;
    return new GenericArrayData(all);
  }

  /** The match, which takes no more records. */
  PartialMatch ended(Pattern pattern) {
    return new PartialMatch(start, latest, first, last, pattern.steps().size(), 0, taken, headers);
  }

  /** Whether it is complete at once. */
  boolean isComplete(Pattern pattern) {
    return step == pattern.steps().size() && pattern.absentAfter().isEmpty();
  }

  /** Whether it is complete at its deadline. */
  boolean isCompleteAtDeadline(Pattern pattern) {
    int steps = pattern.steps().size();
    return step == steps || step == steps - 1 && pattern.lastStep().more() && count >= pattern.lastStep().least();
  }

  /** The latest time of a record that may belong to it. */
  long deadline(Pattern pattern) {
    return start + pattern.within();
  }

  /** The time of the match: that of its latest record, or the end of an absence. */
  long time(Pattern pattern) {
    return pattern.absentAfter().isEmpty() ? latest : deadline(pattern);
  }
}
