package io.holdfast.kernel.workers;

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** About how many bytes a value takes, to limit the size of a call. */
public final class RowSize {
  private static final int SCALAR = 8;

  private RowSize() {}

  public static long of(Object value) {
    if (value instanceof UTF8String text) {
      return text.numBytes();
    }
    if (value instanceof UnsafeRow row) {
      return row.getSizeInBytes();
    }
    if (value instanceof GenericInternalRow row) {
      return all(row.values());
    }
    if (value instanceof byte[] bytes) {
      return bytes.length;
    }
    return collection(value);
  }

  private static long collection(Object value) {
    if (value instanceof UnsafeArrayData array) {
      return array.getSizeInBytes();
    }
    if (value instanceof UnsafeMapData map) {
      return map.getSizeInBytes();
    }
    if (value instanceof GenericArrayData array) {
      return all(array.array());
    }
    return value instanceof ArrayBasedMapData map ? of(map.keyArray()) + of(map.valueArray()) : SCALAR;
  }

  private static long all(Object[] values) {
    long sum = SCALAR;
    for (Object each : values) {
      sum += of(each);
    }
    return sum;
  }
}
