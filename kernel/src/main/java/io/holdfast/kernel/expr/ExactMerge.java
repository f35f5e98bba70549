package io.holdfast.kernel.expr;

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Which aggregate functions may work on parts of the records, in any order, and give the same to the last bit.
 *
 * <p>Sums of longs are not among them: where they overflow depends on the order. Nor is anything of floating point, where sums
 * depend on the order and zero has two signs.
 */
final class ExactMerge {
  private ExactMerge() {}

  static boolean of(AggregateFunction f) {
    if (f instanceof Sum sum) {
      return isSmall(sum.child().dataType());
    }
    if (f instanceof Min || f instanceof Max) {
      return isExact(f.dataType());
    }
    return f instanceof Count || f instanceof BitAggregate;
  }

  private static boolean isSmall(DataType type) {
    return type instanceof ByteType || type instanceof ShortType || type instanceof IntegerType;
  }

  /** Whether values that compare as equal are the same. */
  private static boolean isExact(DataType type) {
    return isSmall(type) || type instanceof LongType || type instanceof BooleanType || type instanceof DateType
        || type instanceof TimestampType || type instanceof TimestampNTZType
        || type instanceof StringType text && text.supportsBinaryEquality();
  }
}
