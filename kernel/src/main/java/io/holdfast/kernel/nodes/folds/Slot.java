package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.task.StreamRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * A state that Python makes, or made: of another one and a record, or of two.
 *
 * <p>Two are the same if they are made of the same in the same way.
 */
final class Slot {
  static final int LOADED = -1;
  static final int ADD = 0;
  static final int SUBTRACT = 1;
  static final int MERGE = 2;

  /** What is known of it. */
  enum Outcome { UNKNOWN, MADE, NOTHING, FAILED }

  final int kind;
  /** What it is made of; null stands for no state yet. */
  final Slot left;
  final Slot right;
  final StreamRecord record;
  Outcome outcome = Outcome.UNKNOWN;
  /** Why it failed. */
  String reason;
  /** The state itself, if it is here. */
  Object value;
  boolean hasValue;
  /** Whether somebody asks for the state itself. */
  boolean wanted;
  /** How many bytes went into it that are not known to be gone: the states and values that it is made of. */
  long bytes;
  /** Its place among those that are made together, and in which run that is. */
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

  /** The state that those see who go on with it: where it failed the one before it, null if there is none. */
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

  /** Whether it is made of these. */
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

  /** The value as something that equals what has the same content; Spark's own form of maps does not. */
  static Object content(Object value) {
    return value instanceof UnsafeMapData map ? List.of(map.keyArray(), map.valueArray()) : value;
  }
}
