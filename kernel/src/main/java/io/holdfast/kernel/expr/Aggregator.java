package io.holdfast.kernel.expr;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.MutableProjection;
import org.apache.spark.sql.catalyst.expressions.MutableValue;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;

/** Runs a {@link BoundAggregate} on buffers that live in a store between batches. */
public final class Aggregator {
  private final BoundAggregate plan;
  private final DataType[] types;
  private final ImperativeAggregate[] imperatives;
  private final MutableProjection initialise;
  private final MutableProjection update;
  private final MutableProjection merge;
  private final MutableProjection evaluate;
  private final UnsafeProjection results;
  private final UnsafeProjection pack;
  private final UnsafeProjection imperativeInputs;
  private final SpecificInternalRow evaluated;
  private final SpecificInternalRow empty;
  /** The empty buffer, if buffers are updated in their stored form; else null. */
  private final UnsafeRow blank;
  /** Which values of a buffer are no objects and may be of any size. */
  private final int[] variable;
  private final JoinedRow joined = new JoinedRow();

  Aggregator(BoundAggregate plan) {
    this.plan = plan;
    types = plan.bufferTypes.toArray(new DataType[0]);
    imperatives = plan.imperatives.toArray(new ImperativeAggregate[0]);
    initialise = MutableProjection.create(ScalaCollections.seq(plan.initial));
    update = MutableProjection.create(ScalaCollections.seq(plan.update));
    merge = MutableProjection.create(ScalaCollections.seq(plan.merge));
    evaluate = MutableProjection.create(ScalaCollections.seq(plan.evaluate));
    results = UnsafeProjection.create(ScalaCollections.seq(plan.results));
    pack = UnsafeProjection.create(types);
    imperativeInputs = imperatives.length == 0 ? null : UnsafeProjection.create(ScalaCollections.seq(plan.imperativeInputs));
    empty = new SpecificInternalRow(ScalaCollections.seq(plan.bufferTypes));
    evaluated = new SpecificInternalRow(ScalaCollections.seq(plan.resultTypes));
    Set<Integer> objects = Arrays.stream(imperatives).filter(TypedImperativeAggregate.class::isInstance)
        .map(ImperativeAggregate::mutableAggBufferOffset).collect(Collectors.toSet());
    variable = IntStream.range(0, types.length).filter(i -> !UnsafeRow.isFixedLength(types[i]) && !objects.contains(i)).toArray();
    blank = imperatives.length == 0 && plan.bufferTypes.stream().allMatch(UnsafeRow::isFixedLength) ? pack.apply(initialised()).copy() : null;
  }

  /** Whether a buffer may have no result: a division by zero, an overflow. */
  public boolean mayFail() {
    return plan.mayFail();
  }

  /** Whether there are functions whose buffers are objects, which are updated in place. */
  public boolean keepsObjects() {
    return imperatives.length > 0;
  }

  /** Whether there are functions whose buffers may be of any size. */
  public boolean keepsValues() {
    return variable.length > 0;
  }

  /** An empty buffer. */
  public InternalRow create() {
    if (blank != null) {
      return blank.copy();
    }
    InternalRow buffer = initialised();
    for (ImperativeAggregate f : imperatives) {
      f.initialize(buffer);
    }
    return buffer;
  }

  private SpecificInternalRow initialised() {
    SpecificInternalRow buffer = newRow();
    initialise.target(buffer).apply(null);
    return buffer;
  }

  /**
   * Fails if adding the record would fail after some functions were updated.
   *
   * @return how many bytes would be added to objects
   */
  public int rehearse(InternalRow scope) {
    try {
      return imperativeInputs == null ? 0 : imperativeInputs.apply(scope).getSizeInBytes();
    } catch (StackOverflowError deep) {
      throw StackDepthException.instead(deep);
    }
  }

  /** Adds one record (a scope row) to the buffer. */
  public void update(InternalRow buffer, InternalRow scope) {
    updateDeclared(buffer, scope);
    updateObjects(buffer, scope);
  }

  /** The part of the update that changes values; a {@link #lightCopy} is enough to undo it. */
  public void updateDeclared(InternalRow buffer, InternalRow scope) {
    try {
      update.target(buffer).apply(joined.apply(buffer, scope));
    } catch (StackOverflowError deep) {
      throw StackDepthException.instead(deep);
    }
  }

  /** The part of the update that changes objects in place. */
  public void updateObjects(InternalRow buffer, InternalRow scope) {
    for (ImperativeAggregate f : imperatives) {
      f.update(buffer, scope);
    }
  }

  /** A copy of the buffer; objects are shared. */
  public InternalRow lightCopy(InternalRow buffer) {
    return blank != null ? buffer.copy() : copy(buffer);
  }

  /** The size of the buffer's values that are no objects, and may be of any size. */
  public long declaredBytes(InternalRow buffer) {
    long sum = 0;
    for (int i : variable) {
      sum += buffer.isNullAt(i) ? 0 : ValueSize.of(buffer.get(i, types[i]), types[i]);
    }
    return sum;
  }

  /** Merges another buffer into the buffer. */
  public void merge(InternalRow buffer, InternalRow other) {
    merge.target(buffer).apply(joined.apply(buffer, other));
    for (ImperativeAggregate f : imperatives) {
      if (f instanceof TypedImperativeAggregate<?> typed) {
        typed.mergeBuffersObjects(buffer, other);
      } else {
        f.merge(buffer, other);
      }
    }
  }

  /** The result as a record of its own. */
  public UnsafeRow result(InternalRow buffer) {
    evaluate.target(evaluated).apply(buffer);
    for (int i = 0; i < imperatives.length; i++) {
      evaluated.update(plan.imperativeResults.get(i), imperatives[i].eval(buffer));
    }
    return resultOf(evaluated);
  }

  /** The result, given that of each function. */
  public UnsafeRow resultOf(Object[] functions) {
    return resultOf(new GenericInternalRow(functions));
  }

  private UnsafeRow resultOf(InternalRow functions) {
    try {
      return results.apply(functions).copy();
    } catch (StackOverflowError deep) {
      throw StackDepthException.instead(deep);
    }
  }

  /** The result of a group without rows: zero for counts and sums; null if there are other functions, or if it has none. */
  public UnsafeRow empty() {
    if (!plan.onlyTotals()) {
      return null;
    }
    Object[] zeros = plan.resultTypes.stream().map(Totals::zero).toArray();
    try {
      return resultOf(zeros);
    } catch (ArithmeticException dividedByNothing) {
      return null;
    }
  }

  /** The buffer as it is stored; valid until the buffer changes. */
  public UnsafeRow pack(InternalRow buffer) {
    if (blank != null) {
      return (UnsafeRow) buffer;
    }
    InternalRow stored = buffer;
    for (ImperativeAggregate f : imperatives) {
      if (f instanceof TypedImperativeAggregate<?> typed) {
        stored = stored == buffer ? copy(buffer) : stored;
        typed.serializeAggregateBufferInPlace(stored);
      }
    }
    return pack.apply(stored).copy();
  }

  /** The buffer out of what was stored. */
  public InternalRow unpack(InternalRow stored) {
    if (blank != null) {
      return stored.copy();
    }
    InternalRow buffer = copy(stored);
    for (ImperativeAggregate f : imperatives) {
      if (f instanceof TypedImperativeAggregate<?> typed) {
        int at = typed.mutableAggBufferOffset();
        buffer.update(at, typed.deserialize(stored.getBinary(at)));
      }
    }
    return buffer;
  }

  private SpecificInternalRow newRow() {
    MutableValue[] values = empty.values().clone();
    for (int i = 0; i < values.length; i++) {
      values[i] = values[i].copy();
    }
    return new SpecificInternalRow(values);
  }

  private InternalRow copy(InternalRow from) {
    SpecificInternalRow to = newRow();
    for (int i = 0; i < types.length; i++) {
      if (from.isNullAt(i)) {
        to.setNullAt(i);
      } else {
        to.update(i, from.get(i, types[i]));
      }
    }
    return to;
  }
}
