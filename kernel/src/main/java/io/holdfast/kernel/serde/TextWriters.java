package io.holdfast.kernel.serde;

import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** The text writer of each scalar type. */
final class TextWriters {
  private TextWriters() {}

  static ValueWriter of(DataType type) {
    if (type instanceof LongType) {
      return (values, index, out) -> out.number(values.getLong(index));
    } else if (type instanceof IntegerType) {
      return (values, index, out) -> out.number(values.getInt(index));
    } else if (type instanceof ShortType) {
      return (values, index, out) -> out.number(values.getShort(index));
    } else if (type instanceof ByteType) {
      return (values, index, out) -> out.number(values.getByte(index));
    } else if (type instanceof DoubleType) {
      return (values, index, out) -> out.ascii(word(NumberText.text(values.getDouble(index))));
    } else if (type instanceof FloatType) {
      return (values, index, out) -> out.ascii(word(NumberText.text(values.getFloat(index))));
    } else if (type instanceof BooleanType) {
      return (values, index, out) -> out.ascii(values.getBoolean(index) ? "true" : "false");
    } else if (type instanceof StringType) {
      return (values, index, out) -> out.text(values.getUTF8String(index));
    } else if (type instanceof BinaryType) {
      return (values, index, out) -> out.put(values.getBinary(index));
    } else if (type instanceof DateType) {
      return (values, index, out) -> TimeText.write(values.getInt(index), out);
    } else if (type instanceof TimestampType) {
      return (values, index, out) -> TimeText.write(values.getLong(index), true, out);
    } else if (type instanceof TimestampNTZType) {
      return (values, index, out) -> TimeText.write(values.getLong(index), false, out);
    } else if (type instanceof DecimalType decimal) {
      return (values, index, out) -> out.ascii(
        values.getDecimal(index, decimal.precision(), decimal.scale()).toJavaBigDecimal().toPlainString());
    }
    throw new IllegalArgumentException("type " + type.sql() + " has no text form");
  }

  private static String word(String number) {
    return switch (number) {
      case "NaN" -> "nan";
      case "Infinity" -> "inf";
      case "-Infinity" -> "-inf";
      default -> number;
    };
  }
}
