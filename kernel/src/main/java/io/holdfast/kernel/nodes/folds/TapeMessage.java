package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.workers.ArrowRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * States to be made, as Python reads them.
 *
 * <p>Numbers of four bytes, little-endian: how many states are to be made, how many are given, how many inputs there are, how many bytes of
 * JSON a state may take in any case, and the bytes of the largest; then for each to be made its operation, and the numbers of its operands.
 * 0 is no state, then come those that are given, then those that are made, in order. After them come the keys if they are used, the values of
 * each input and the given states, each as Arrow with its length before it.
 */
final class TapeMessage {
  static final int NO_LIMIT = Integer.MAX_VALUE;
  private static final int WANTED = 4;
  private static final int PORTS = 8;
  private final PythonFolder.Plan plan;
  private final StructType stateRow;
  private final List<Slot> slots;
  private final int run;
  private final List<InternalRow> states = new ArrayList<>();
  private final List<Slot> given = new ArrayList<>();
  private final List<List<InternalRow>> values = new ArrayList<>();

  TapeMessage(PythonFolder.Plan plan, StructType stateRow, List<Slot> slots, int run) {
    this.plan = plan;
    this.stateRow = stateRow;
    this.slots = slots;
    this.run = run;
    plan.values().forEach(v -> values.add(new ArrayList<>()));
  }

  byte[] bytes(int most) {
    int first = slots.get(0).index;
    int n = slots.size();
    int[] lefts = new int[n];
    int[] rights = new int[n];
    for (int i = 0; i < n; i++) {
      lefts[i] = number(Slot.standing(slots.get(i).left), first);
      rights[i] = number(Slot.standing(slots.get(i).right), first);
      addValue(slots.get(i));
    }
    List<byte[]> parts = new ArrayList<>();
    parts.add(keys());
    for (int port = 0; port < values.size(); port++) {
      parts.add(values.get(port).isEmpty() ? new byte[0] : ArrowRows.write(new StructType().add("value", plan.values().get(port)), values.get(port)));
    }
    parts.add(states.isEmpty() ? new byte[0] : ArrowRows.write(stateRow, states));
    int size = 20 + 12 * n + parts.stream().mapToInt(p -> 4 + p.length).sum();
    ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(n).putInt(states.size()).putInt(values.size()).putInt(most).putInt(fullest());
    slots.forEach(s -> out.putInt(s.kind + (s.wanted ? WANTED : 0) + PORTS * s.record.port()));
    put(out, lefts);
    put(out, rights);
    parts.forEach(p -> out.putInt(p.length).put(p));
    return out.array();
  }

  /** The number of a given state; of one that is made in this call its index, which becomes a number when all given ones are counted. */
  private int number(Slot slot, int first) {
    if (slot == null) {
      return 0;
    }
    if (!slot.hasValue) {
      return -1 - (slot.index - first);
    }
    boolean isKnown = slot.run == -run && slot.index < given.size() && given.get(slot.index) == slot;
    if (!isKnown) {
      slot.run = -run;
      slot.index = given.size();
      given.add(slot);
      states.add(row(slot.value));
    }
    return slot.index + 1;
  }

  private int fullest() {
    long most = 0;
    for (Slot each : slots) {
      most = Math.max(most, each.bytes);
    }
    return (int) Math.min(Integer.MAX_VALUE, most);
  }

  private void put(ByteBuffer out, int[] numbers) {
    for (int each : numbers) {
      out.putInt(each >= 0 ? each : states.size() - each);
    }
  }

  private void addValue(Slot slot) {
    if (slot.kind != Slot.MERGE) {
      values.get(slot.record.port()).add(row(slot.record.value));
    }
  }

  private byte[] keys() {
    return plan.key() == null
        ? new byte[0]
        : ArrowRows.write(new StructType().add("key", plan.key()), slots.stream().map(s -> row(s.record.key)).toList());
  }

  private static InternalRow row(Object value) {
    return new GenericInternalRow(new Object[] {value});
  }
}
