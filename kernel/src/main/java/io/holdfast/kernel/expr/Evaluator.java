package io.holdfast.kernel.expr;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;

/** Generated code of a {@link BoundExpressions}; results do not share memory with the next evaluation. */
public final class Evaluator {
  private final List<Expression> expressions;
  /** Generated for the first record: code that never runs costs nothing. */
  private UnsafeProjection projection;
  private final DataType[] types;
  private final boolean fixed;
  private final boolean meta;

  Evaluator(BoundExpressions bound) {
    expressions = List.of(bound.expressions());
    types = new DataType[bound.size()];
    boolean allFixed = true;
    for (int i = 0; i < types.length; i++) {
      types[i] = bound.type(i);
      allFixed &= UnsafeRow.isFixedLength(types[i]) && UnsafeRow.isMutable(types[i]) && fitsInWord(types[i]);
    }
    fixed = allFixed;
    meta = bound.usesMeta();
  }

  private static boolean fitsInWord(DataType type) {
    return !(type instanceof org.apache.spark.sql.types.DecimalType) && type.defaultSize() <= 8;
  }

  public boolean usesMeta() {
    return meta;
  }

  private UnsafeRow projected(InternalRow scope) {
    if (projection == null) {
      projection = UnsafeProjection.create(ScalaCollections.seq(expressions));
    }
    try {
      return projection.apply(scope);
    } catch (StackOverflowError deep) {
      throw StackDepthException.instead(deep);
    }
  }

  /** All results as one row of its own. */
  public UnsafeRow row(InternalRow scope) {
    UnsafeRow out = projected(scope);
    return fixed ? out : out.copy();
  }

  /** The only (or first) result. */
  public Object value(InternalRow scope) {
    return get(row(scope), 0);
  }

  /** The i-th result out of {@link #row}. */
  public Object get(UnsafeRow row, int i) {
    return row.isNullAt(i) ? null : row.get(i, types[i]);
  }

  /** The first result as a condition; null is false. */
  public boolean test(InternalRow scope) {
    UnsafeRow out = projected(scope);
    return !out.isNullAt(0) && out.getBoolean(0);
  }
}
