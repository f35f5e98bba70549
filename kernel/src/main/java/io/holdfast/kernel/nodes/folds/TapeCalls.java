package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.workers.ArrowRows;
import io.holdfast.kernel.workers.PythonCalls;
import io.holdfast.kernel.workers.RowSize;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Lets Python make states, many with one call.
 *
 * <p>An answer is a byte per state with its outcome, the states that are wanted, and the reasons of those that failed. Where a wanted one
 * failed, the state before it is returned.
 */
final class TapeCalls {
  private static final int MOST = 20_000;
  private static final int MOST_BYTES = 16 << 20;
  private static final StructType REASONS = new StructType().add("reason", DataTypes.StringType);
  private static final Slot.Outcome[] OUTCOMES = Slot.Outcome.values();
  private final PythonFolder.Plan plan;
  private final DataType type;
  private final StructType states;
  /** The limit of the states; null if there is none. */
  private StateLimit limit;
  private int run;

  TapeCalls(PythonFolder.Plan plan) {
    this.plan = plan;
    this.type = plan.state();
    this.states = new StructType().add("state", type);
  }

  void limitTo(StateLimit most) {
    limit = most;
  }

  /** Makes all of these, and their operands. */
  void make(PythonCalls python, List<Slot> wanted) {
    List<Slot> all = inOrder(wanted);
    List<Integer> ends = parts(all);
    keepBetween(all, ends);
    int from = 0;
    for (int end : ends) {
      part(python, all.subList(from, end));
      from = end;
    }
  }

  /** Those that are to be made, each after its operands. */
  private List<Slot> inOrder(List<Slot> wanted) {
    run++;
    List<Slot> out = new ArrayList<>(wanted.size());
    Deque<Slot> open = new ArrayDeque<>();
    for (Slot each : wanted) {
      open.push(each);
      while (!open.isEmpty()) {
        Slot top = open.peek();
        Slot first = missing(top);
        if (first != null) {
          open.push(first);
          continue;
        }
        open.pop();
        if (top.run != run) {
          top.run = run;
          top.index = out.size();
          out.add(top);
        }
      }
    }
    return out;
  }

  private Slot missing(Slot of) {
    Slot left = Slot.standing(of.left);
    if (left != null && !left.hasValue && left.run != run) {
      return left;
    }
    Slot right = Slot.standing(of.right);
    return right != null && !right.hasValue && right.run != run ? right : null;
  }

  /** Where one call ends and the next begins. */
  private static List<Integer> parts(List<Slot> all) {
    List<Integer> ends = new ArrayList<>();
    int begin = 0;
    long bytes = 0;
    for (int i = 0; i < all.size(); i++) {
      bytes += measure(all.get(i));
      if (i + 1 - begin >= MOST || bytes >= MOST_BYTES) {
        ends.add(i + 1);
        begin = i + 1;
        bytes = 0;
      }
    }
    if (begin < all.size()) {
      ends.add(all.size());
    }
    return ends;
  }

  /** Adds up the bytes of a state's operands; returns how many of them must be sent. */
  private static long measure(Slot made) {
    Slot left = Slot.standing(made.left);
    Slot right = Slot.standing(made.right);
    long sent = RowSize.of(made.record.value) + given(left) + given(right);
    made.bytes = sent + between(left) + between(right);
    return sent;
  }

  /** The bytes of a state that must be sent. */
  private static long given(Slot state) {
    return state == null || !state.hasValue ? 0 : RowSize.of(state.value);
  }

  /** The bytes of a state that is only in Python. */
  private static long between(Slot state) {
    return state == null || state.hasValue ? 0 : state.bytes;
  }

  /** Operands of a later call must be returned by the earlier one. */
  private void keepBetween(List<Slot> all, List<Integer> ends) {
    int part = 0;
    int begin = 0;
    for (int i = 0; ends.size() > 1 && i < all.size(); i++) {
      if (i == ends.get(part)) {
        begin = ends.get(part++);
      }
      keep(Slot.standing(all.get(i).left), begin);
      keep(Slot.standing(all.get(i).right), begin);
    }
  }

  private void keep(Slot operand, int begin) {
    if (operand != null && !operand.hasValue && operand.run == run && operand.index < begin) {
      operand.wanted = true;
    }
  }

  private void part(PythonCalls python, List<Slot> slots) {
    int most = limit == null ? TapeMessage.NO_LIMIT : limit.most(longestKey(slots));
    byte[] message = new TapeMessage(plan, states, slots, run).bytes(most);
    takeAnswer(slots, ByteBuffer.wrap(python.call(plan.function(), message, question -> refusal(slots, question))));
  }

  private long longestKey(List<Slot> slots) {
    long longest = 0;
    for (Slot each : slots) {
      longest = Math.max(longest, limit.keyBytes(each.record.key));
    }
    return longest;
  }

  /** Why a state is too large; empty if it is not. The question begins with the number of the state. */
  private byte[] refusal(List<Slot> slots, byte[] question) {
    int at = ByteBuffer.wrap(question).order(ByteOrder.LITTLE_ENDIAN).getInt();
    InternalRow state = ArrowRows.read(states, Arrays.copyOfRange(question, 4, question.length)).get(0);
    String refusal = limit.valueRefusal(slots.get(at).record.key, state.isNullAt(0) ? null : state.get(0, type));
    return refusal == null ? new byte[0] : refusal.getBytes(StandardCharsets.UTF_8);
  }

  private void takeAnswer(List<Slot> slots, ByteBuffer answer) {
    answer.order(ByteOrder.LITTLE_ENDIAN);
    byte[] outcomes = new byte[slots.size()];
    answer.get(outcomes);
    List<InternalRow> made = ArrowRows.read(states, next(answer));
    byte[] reasonBytes = next(answer);
    List<InternalRow> reasons = reasonBytes.length == 0 ? List.of() : ArrowRows.read(REASONS, reasonBytes);
    int failed = 0;
    for (int i = 0; i < outcomes.length; i++) {
      Slot slot = slots.get(i);
      slot.outcome = OUTCOMES[outcomes[i]];
      if (slot.outcome == Slot.Outcome.FAILED) {
        slot.reason = reasons.get(failed++).getUTF8String(0).toString();
      }
    }
    int at = 0;
    for (Slot slot : slots) {
      if (slot.wanted) {
        setState(Slot.standing(slot), made.get(at++));
      }
    }
  }

  private void setState(Slot slot, InternalRow row) {
    if (slot != null && !slot.hasValue) {
      slot.setValue(row.isNullAt(0) ? null : row.get(0, type));
    }
  }

  private static byte[] next(ByteBuffer answer) {
    byte[] out = new byte[answer.getInt()];
    answer.get(out);
    return out;
  }
}
