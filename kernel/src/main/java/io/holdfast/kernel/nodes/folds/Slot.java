package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.task.StreamRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * A state that Python makes, or has made, of another one and a record, or of two.
 *
 * <p>Two slots are equal if they have the same operation and operands.
 */
final class Slot {
  static final int LOADED = -1;
  static final int ADD = 0;
  static final int SUBTRACT = 1;
  static final int MERGE = 2;

  /** The outcome of the operation, as far as it is known. */
  enum Outcome { UNKNOWN, MADE, NOTHING, FAILED }

  final int kind;
  /** The operands; null stands for no state yet. */
  final Slot left;
  final Slot right;
  final StreamRecord record;
  Outcome outcome = Outcome.UNKNOWN;
  /** Why it failed. */
  String reason;
  /** The state itself, if it was returned to the JVM. */
  Object value;
  boolean hasValue;
  /** Whether the state itself is to be returned. */
  boolean wanted;
  /** At most how large it is: the bytes of the states and values that it is made of. */
  long bytes;
  /** Its index among those that are made together, and the number of that run. */
  int index;
  int run;

  Slot(int kind, Slot left, Slot right, StreamRecord record) {
    this.kind = kind;
    this.left = left;
    this.right = right;
    this.record = record;
  }

  /** A state that was stored. */
  static Slot loaded(Object value) {
    Slot out = new Slot(LOADED, null, null, null);
    out.outcome = Outcome.MADE;
    out.value = value;
    out.hasValue = true;
    return out;
  }

  /** The same with other operands. */
  Slot of(Slot newLeft, Slot newRight) {
    return new Slot(kind, newLeft, newRight, record);
  }

  /** The state on which later operations work: where this one failed the one before it, null if there is none. */
  static Slot standing(Slot slot) {
    Slot at = slot;
    while (at != null && at.outcome == Outcome.FAILED) {
      at = at.left;
    }
    return at == null || at.outcome == Outcome.NOTHING ? null : at;
  }

  void setValue(Object state) {
    value = state;
    hasValue = true;
  }

  /** Whether it has this operation and these operands. */
  boolean isOf(int aKind, Slot aLeft, Slot aRight, StreamRecord aRec) {
    return kind == aKind && left == aLeft && right == aRight && same(record, aRec);
  }

  @Override
  public int hashCode() {
    int h = 31 * kind + System.identityHashCode(left);
    h = 31 * h + System.identityHashCode(right);
    return record == null ? h : Murmur3_x86_32.hashUnsafeBytes2(record.order, Platform.BYTE_ARRAY_OFFSET, record.order.length, h);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Slot s && kind != LOADED && s.isOf(kind, left, right, record);
  }

  private static boolean same(StreamRecord a, StreamRecord b) {
    return a == b || a != null && b != null && a.port() == b.port() && Arrays.equals(a.order, b.order)
        && (a.value == b.value || Objects.equals(content(a.value), content(b.value)));
  }

  /** The value in a form with equality by content, which Spark's own form of maps does not have. */
  static Object content(Object value) {
    return value instanceof UnsafeMapData map ? List.of(map.keyArray(), map.valueArray()) : value;
  }
}
