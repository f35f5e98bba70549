package io.holdfast.kernel.nodes;

import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.ShortType;

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
    if (key instanceof Long || !(key instanceof Number n) || !(type instanceof NumericType)) {
      return key;
    }
    return key instanceof Double || key instanceof Float ? (Object) normal(n.doubleValue()) : (Object) n.longValue();
  }

  /** Zero has two forms and NaN has many; as a key each is one. */
  private static double normal(double key) {
    return key == 0.0 ? 0.0 : Double.isNaN(key) ? Double.NaN : key;
  }
}
