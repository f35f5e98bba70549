package io.holdfast.kernel.expr;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType$;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Which types hold the values of others: a cast that would drop a fraction or a digit without failing is never made. */
public final class Widening {
  private static final int DIGITS = 38;
  /** Up to this scale Spark's sums of 38 digits keep it; beyond, one digit must be left for the sum. */
  private static final int SAFE_SCALE = 6;

  private Widening() {}

  /** Whether a cast gives the same value or fails, for every value. */
  public static boolean keeps(DataType from, DataType to) {
    return mismatch(from, to) == null;
  }

  /** The innermost parts that do not fit, or null. */
  public static Mismatch mismatch(DataType from, DataType to) {
    return mismatch("", from, to);
  }

  /** The mismatch of a value's type and the declared type of a topic, or null; anything can be written as text. */
  public static Mismatch unwritable(DataType made, DataType declared) {
    return declared instanceof StringType || declared instanceof BinaryType ? null : unwritable("", made, declared);
  }

  /** Records go by the names of their fields, and one that is not declared, or not made, does no harm. */
  private static Mismatch unwritable(String path, DataType made, DataType declared) {
    if (!(made instanceof StructType m) || !(declared instanceof StructType d)) {
      return mismatch(path, made, declared);
    }
    for (StructField field : d.fields()) {
      if (m.getFieldIndex(field.name()).isDefined()) {
        Mismatch inner = unwritable(inside(path, field), m.apply(field.name()).dataType(), field.dataType());
        if (inner != null) {
          return inner;
        }
      }
    }
    return null;
  }

  private static String inside(String path, StructField field) {
    return path.isEmpty() ? field.name() : path + "." + field.name();
  }

  /** A part of a type that another cannot hold; the name is empty if it is the whole. */
  public record Mismatch(String field, DataType from, DataType to) {
    /** The beginning of a message, with the field. */
    public String in() {
      return field.isEmpty() ? "" : "field '" + field + "': ";
    }
  }

  private static Mismatch mismatch(String path, DataType from, DataType to) {
    if (from instanceof NullType || from.asNullable().equals(to.asNullable())) {
      return null;
    }
    if (from instanceof StructType f && to instanceof StructType t) {
      return ofRecords(path, f, t);
    }
    if (from instanceof ArrayType f && to instanceof ArrayType t) {
      return mismatch(path, f.elementType(), t.elementType());
    }
    if (from instanceof MapType f && to instanceof MapType t) {
      Mismatch keys = mismatch(path, f.keyType(), t.keyType());
      return keys != null ? keys : mismatch(path, f.valueType(), t.valueType());
    }
    return from instanceof NumericType && to instanceof NumericType && keepsNumber(from, to) ? null : new Mismatch(path, from, to);
  }

  private static Mismatch ofRecords(String path, StructType from, StructType to) {
    if (from.size() != to.size()) {
      return new Mismatch(path, from, to);
    }
    for (StructField field : to.fields()) {
      if (from.getFieldIndex(field.name()).isEmpty()) {
        return new Mismatch(path, from, to);
      }
      Mismatch inner = mismatch(inside(path, field), from.apply(field.name()).dataType(), field.dataType());
      if (inner != null) {
        return inner;
      }
    }
    return null;
  }

  private static boolean keepsNumber(DataType from, DataType to) {
    if (to instanceof DoubleType) {
      return true;
    }
    if (to instanceof FloatType) {
      return from instanceof ByteType || from instanceof ShortType;
    }
    int scale = to instanceof DecimalType t ? t.scale() : 0;
    return from instanceof IntegralType || from instanceof DecimalType f && f.scale() <= scale;
  }

  /** The narrowest type that holds the values of both, or null if there is none. */
  public static DataType common(DataType one, DataType other) {
    if (other instanceof NullType || one.equals(other)) {
      return one;
    }
    if (one instanceof StructType a && other instanceof StructType b) {
      return ofBoth(a, b);
    }
    if (one instanceof ArrayType a && other instanceof ArrayType b) {
      DataType element = common(a.elementType(), b.elementType());
      return element == null ? null : new ArrayType(element, true);
    }
    if (one instanceof MapType a && other instanceof MapType b) {
      DataType key = common(a.keyType(), b.keyType());
      DataType value = common(a.valueType(), b.valueType());
      return key == null || value == null ? null : new MapType(key, value, true);
    }
    return one instanceof NumericType && other instanceof NumericType ? commonNumber(one, other) : null;
  }

  private static DataType ofBoth(StructType one, StructType other) {
    if (one.size() != other.size()) {
      return null;
    }
    List<StructField> out = new ArrayList<>();
    for (StructField field : one.fields()) {
      if (other.getFieldIndex(field.name()).isEmpty()) {
        return null;
      }
      DataType both = common(field.dataType(), other.apply(field.name()).dataType());
      if (both == null) {
        return null;
      }
      out.add(new StructField(field.name(), both, true, field.metadata()));
    }
    return new StructType(out.toArray(StructField[]::new));
  }

  private static DataType commonNumber(DataType one, DataType other) {
    if (one instanceof IntegralType && other instanceof IntegralType) {
      return one.defaultSize() >= other.defaultSize() ? one : other;
    }
    if (one instanceof DoubleType || other instanceof DoubleType) {
      return DataTypes.DoubleType;
    }
    if (one instanceof FloatType || other instanceof FloatType) {
      boolean exact = keepsNumber(one, DataTypes.FloatType) || keepsNumber(other, DataTypes.FloatType);
      return exact ? DataTypes.FloatType : DataTypes.DoubleType;
    }
    DecimalType a = decimal(one);
    DecimalType b = decimal(other);
    int scale = Math.max(a.scale(), b.scale());
    int whole = Math.max(a.precision() - a.scale(), b.precision() - b.scale());
    return whole + scale > DIGITS ? (keepsNumber(b, a) ? a : widest(scale)) : new DecimalType(whole + scale, scale);
  }

  private static DecimalType decimal(DataType type) {
    return type instanceof DecimalType d ? d : DecimalType$.MODULE$.forType(type);
  }

  /**
   * The type after `state`, where `next` is wider: Spark widens decimals with each sum, so one that has grown before goes at once to
   * as many digits as there are, with its scale kept; a sum that has more fails.
   */
  public static DataType settled(DataType state, DataType next) {
    if (state instanceof StructType a && next instanceof StructType b) {
      StructType out = new StructType();
      for (int i = 0; i < a.size(); i++) {
        out = out.add(a.fields()[i].name(), settled(a.fields()[i].dataType(), b.fields()[i].dataType()), true);
      }
      return out;
    }
    if (state instanceof ArrayType a && next instanceof ArrayType b) {
      return new ArrayType(settled(a.elementType(), b.elementType()), true);
    }
    if (state instanceof MapType a && next instanceof MapType b) {
      return new MapType(settled(a.keyType(), b.keyType()), settled(a.valueType(), b.valueType()), true);
    }
    if (state instanceof DecimalType a && next instanceof DecimalType b && !a.equals(b)) {
      return a.equals(widest(a.scale())) && b.scale() <= a.scale() ? a : widest(b.scale());
    }
    return next;
  }

  private static DecimalType widest(int scale) {
    return new DecimalType(scale <= SAFE_SCALE ? DIGITS : DIGITS - 1, scale);
  }
}
