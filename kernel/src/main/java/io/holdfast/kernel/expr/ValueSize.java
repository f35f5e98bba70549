package io.holdfast.kernel.expr;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** How large values are, without writing them: in memory, and at most as JSON. */
public final class ValueSize {
  /** The size of a scalar in a row; its longest text is {@link #SCALAR_TEXT}. */
  private static final int SCALAR = 16;
  private static final int SCALAR_TEXT = 40;
  /** A control character is written as six. */
  private static final int ESCAPED = 6;

  private ValueSize() {}

  /** Whether values of the type may be of any size. */
  public static boolean varies(DataType type) {
    return !UnsafeRow.isFixedLength(type) && !(type instanceof DecimalType) && !(type instanceof StructType struct && allFixed(struct));
  }

  private static boolean allFixed(StructType struct) {
    for (StructField field : struct.fields()) {
      if (varies(field.dataType())) {
        return false;
      }
    }
    return true;
  }

  /** How many bytes of JSON a byte in memory may become. */
  public static int growth(DataType type) {
    return ESCAPED + (longestName(type) + SCALAR_TEXT) / 8;
  }

  private static int longestName(DataType type) {
    int longest = 0;
    if (type instanceof StructType struct) {
      for (StructField field : struct.fields()) {
        longest = Math.max(longest, Math.max(field.name().length() * 3, longestName(field.dataType())));
      }
    } else if (type instanceof ArrayType array) {
      longest = longestName(array.elementType());
    } else if (type instanceof MapType map) {
      longest = Math.max(longestName(map.keyType()), longestName(map.valueType()));
    }
    return longest;
  }

  /** About how many bytes the value takes in memory; directly for Spark's own rows, else part by part. */
  public static long of(Object value, DataType type) {
    if (value instanceof UTF8String text) {
      return SCALAR + text.numBytes();
    } else if (value instanceof byte[] bytes) {
      return SCALAR + bytes.length;
    } else if (value instanceof UnsafeRow row) {
      return row.getSizeInBytes();
    } else if (value instanceof UnsafeArrayData array) {
      return array.getSizeInBytes();
    } else if (value instanceof UnsafeMapData map) {
      return map.getSizeInBytes();
    }
    return ofParts(value, type);
  }

  private static long ofParts(Object value, DataType type) {
    if (value instanceof InternalRow row && type instanceof StructType struct) {
      long sum = SCALAR;
      for (int i = 0; i < struct.length(); i++) {
        sum += SCALAR + (row.isNullAt(i) ? 0 : of(row.get(i, struct.fields()[i].dataType()), struct.fields()[i].dataType()));
      }
      return sum;
    } else if (value instanceof ArrayData array && type instanceof ArrayType of) {
      return ofAll(array, of.elementType());
    } else if (value instanceof MapData map && type instanceof MapType of) {
      return ofAll(map.keyArray(), of.keyType()) + ofAll(map.valueArray(), of.valueType());
    }
    return SCALAR;
  }

  private static long ofAll(ArrayData array, DataType element) {
    long sum = SCALAR;
    for (int i = 0; i < array.numElements(); i++) {
      sum += SCALAR + (array.isNullAt(i) ? 0 : of(array.get(i, element), element));
    }
    return sum;
  }
}
