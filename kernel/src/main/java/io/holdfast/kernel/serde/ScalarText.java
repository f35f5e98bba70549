package io.holdfast.kernel.serde;

import java.math.BigDecimal;
import java.util.regex.Pattern;
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
import org.apache.spark.unsafe.types.UTF8String;

/** Reads a scalar from its text form. */
interface ScalarText {
  Pattern NUMBER = Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d{1,9})?");

  Object parse(UTF8String text) throws BadRecord;

  /** Whether the type has a text form. */
  static boolean known(DataType type) {
    return type instanceof LongType || type instanceof IntegerType || type instanceof ShortType
      || type instanceof ByteType || type instanceof DoubleType || type instanceof FloatType
      || type instanceof BooleanType || type instanceof StringType || type instanceof BinaryType
      || type instanceof DateType || type instanceof TimestampType || type instanceof TimestampNTZType
      || type instanceof DecimalType;
  }

  /** The reader of a type that has a text form. */
  static ScalarText of(DataType type) {
    if (type instanceof StringType) {
      return text -> text;
    } else if (type instanceof LongType) {
      return text -> integer(text, "a long", Long.MIN_VALUE, Long.MAX_VALUE);
    } else if (type instanceof IntegerType) {
      return text -> (int) integer(text, "an integer", Integer.MIN_VALUE, Integer.MAX_VALUE);
    } else if (type instanceof ShortType) {
      return text -> (short) integer(text, "a short", Short.MIN_VALUE, Short.MAX_VALUE);
    } else if (type instanceof ByteType) {
      return text -> (byte) integer(text, "a byte", Byte.MIN_VALUE, Byte.MAX_VALUE);
    } else if (type instanceof DoubleType) {
      return ScalarText::doubleValue;
    } else if (type instanceof FloatType) {
      return ScalarText::floatValue;
    } else if (type instanceof BooleanType) {
      return ScalarText::booleanValue;
    } else if (type instanceof BinaryType) {
      return UTF8String::getBytes;
    } else if (type instanceof DateType) {
      return TimeText::date;
    } else if (type instanceof TimestampType) {
      return text -> isInteger(text) ? millis(text) : TimeText.timestamp(text);
    } else if (type instanceof TimestampNTZType) {
      return text -> isInteger(text) ? millis(text) : TimeText.local(text);
    } else if (type instanceof DecimalType decimal) {
      return text -> NumberText.decimal(new BigDecimal(number(text, "a " + decimal.typeName())), decimal);
    }
    throw new IllegalArgumentException("type " + type.sql() + " has no text form; use JSON");
  }

  private static long integer(UTF8String text, String wanted, long low, long high) throws BadRecord {
    if (!isInteger(text)) {
      throw wrong(wanted, text);
    }
    long value = 0;
    boolean negative = text.getByte(0) == '-';
    try {
      for (int i = negative ? 1 : 0; i < text.numBytes(); i++) {
        int digit = text.getByte(i) - '0';
        value = Math.addExact(Math.multiplyExact(value, 10L), negative ? -digit : digit);
      }
    } catch (ArithmeticException e) {
      throw range(text, wanted);
    }
    if (value < low || value > high) {
      throw range(text, wanted);
    }
    return value;
  }

  private static boolean isInteger(UTF8String text) {
    int start = text.numBytes() > 0 && text.getByte(0) == '-' ? 1 : 0;
    for (int i = start; i < text.numBytes(); i++) {
      byte b = text.getByte(i);
      if (b < '0' || b > '9') {
        return false;
      }
    }
    return text.numBytes() > start;
  }

  private static long millis(UTF8String text) throws BadRecord {
    try {
      return Math.multiplyExact(integer(text, TimeText.TYPE, Long.MIN_VALUE, Long.MAX_VALUE), 1000L);
    } catch (ArithmeticException e) {
      throw range(text, TimeText.TYPE);
    }
  }

  private static Object doubleValue(UTF8String text) throws BadRecord {
    Double special = NumberText.special(text.toString());
    double value = special != null ? special : Double.parseDouble(number(text, "a double"));
    if (special == null && Double.isInfinite(value)) {
      throw range(text, "a double");
    }
    return value;
  }

  private static Object floatValue(UTF8String text) throws BadRecord {
    Double special = NumberText.special(text.toString());
    float value = special != null ? special.floatValue() : Float.parseFloat(number(text, "a float"));
    if (special == null && Float.isInfinite(value)) {
      throw range(text, "a float");
    }
    return value;
  }

  private static Object booleanValue(UTF8String text) throws BadRecord {
    return switch (text.toString()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong("true or false", text);
    };
  }

  private static String number(UTF8String text, String wanted) throws BadRecord {
    String number = text.toString();
    if (number.length() > 1000 || !NUMBER.matcher(number).matches()) {
      throw wrong(wanted, text);
    }
    return number;
  }

  private static BadRecord wrong(String wanted, UTF8String text) {
    return BadRecord.wanted(wanted, "the text " + BadRecord.quote(text.toString()));
  }

  private static BadRecord range(UTF8String text, String wanted) {
    return BadRecord.range(text.toString(), wanted.substring(wanted.indexOf(' ') + 1));
  }
}
