package io.holdfast.kernel.nodes;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;

/** Keys of all integer types are longs, so that equal numbers meet in the same task whatever type they came from. */
public final class KeyTypes {
  private KeyTypes() {}

  public static DataType of(DataType type) {
    if (type instanceof ByteType || type instanceof ShortType || type instanceof IntegerType) {
      return DataTypes.LongType;
    }
    return type instanceof FloatType ? DataTypes.DoubleType : type;
  }

  /** A key of the given type as one of the type that {@link #of} gives; dates are whole numbers, too, and stay what they are. */
  public static Object widen(Object key, DataType type) {
    if (key instanceof Number n && type instanceof NumericType) {
      return key instanceof Double || key instanceof Float ? (Object) normal(n.doubleValue()) : key instanceof Long ? key : (Object) n.longValue();
    }
    return key != null && hasParts(type) && hasFloats(type) ? normal(key, type) : key;
  }

  private static boolean hasParts(DataType type) {
    return type instanceof StructType || type instanceof ArrayType;
  }

  private static boolean hasFloats(DataType type) {
    if (type instanceof StructType s) {
      return Arrays.stream(s.fields()).anyMatch(field -> hasFloats(field.dataType()));
    }
    return type instanceof ArrayType a ? hasFloats(a.elementType()) : type instanceof DoubleType || type instanceof FloatType;
  }

  /** The same with each number in it in its one form. */
  private static Object normal(Object part, DataType type) {
    if (part == null || !hasFloats(type)) {
      return part;
    }
    if (type instanceof StructType s) {
      Object[] out = new Object[s.size()];
      Arrays.setAll(out, i -> normal(field((InternalRow) part, i, s.fields()[i].dataType()), s.fields()[i].dataType()));
      return new GenericInternalRow(out);
    }
    if (type instanceof ArrayType a) {
      Object[] out = ((ArrayData) part).toObjectArray(a.elementType());
      Arrays.setAll(out, i -> normal(out[i], a.elementType()));
      return new GenericArrayData(out);
    }
    return part instanceof Float f ? (Object) (float) normal(f) : (Object) normal((Double) part);
  }

  private static Object field(InternalRow row, int i, DataType type) {
    return row.isNullAt(i) ? null : row.get(i, type);
  }

  /** Zero has two forms and NaN has many; as a key each is one. */
  private static double normal(double key) {
    return key == 0.0 ? 0.0 : Double.isNaN(key) ? Double.NaN : key;
  }
}
