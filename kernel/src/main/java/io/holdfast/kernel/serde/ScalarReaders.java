package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Base64;
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
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** The JSON readers of scalar types. */
final class ScalarReaders {
  private ScalarReaders() {}

  static JsonReader of(DataType type) {
    if (type instanceof LongType) {
      return (parser, token) -> integer(parser, token, "a long", Long.MIN_VALUE, Long.MAX_VALUE);
    } else if (type instanceof IntegerType) {
      return (parser, token) -> (int) integer(parser, token, "an integer", Integer.MIN_VALUE, Integer.MAX_VALUE);
    } else if (type instanceof ShortType) {
      return (parser, token) -> (short) integer(parser, token, "a short", Short.MIN_VALUE, Short.MAX_VALUE);
    } else if (type instanceof ByteType) {
      return (parser, token) -> (byte) integer(parser, token, "a byte", Byte.MIN_VALUE, Byte.MAX_VALUE);
    } else if (type instanceof DoubleType) {
      return ScalarReaders::doubleValue;
    } else if (type instanceof FloatType) {
      return ScalarReaders::floatValue;
    } else if (type instanceof BooleanType) {
      return ScalarReaders::booleanValue;
    } else if (type instanceof DecimalType decimal) {
      return (parser, token) -> decimal(parser, token, decimal);
    } else if (type instanceof StringType) {
      return (parser, token) -> text(parser, token, "a string");
    } else if (type instanceof BinaryType) {
      return ScalarReaders::binary;
    } else if (type instanceof DateType) {
      return (parser, token) -> TimeText.date(text(parser, token, "a date (\"2026-01-31\")"));
    } else if (type instanceof TimestampType) {
      return (parser, token) -> timestamp(parser, token, true);
    } else if (type instanceof TimestampNTZType) {
      return (parser, token) -> timestamp(parser, token, false);
    } else if (type instanceof NullType) {
      return (parser, token) -> {
        throw wrong("null", parser, token);
      };
    }
    throw new IllegalArgumentException("type " + type.sql() + " has no JSON form");
  }

  private static long integer(JsonParser parser, JsonToken token, String wanted, long low, long high)
    throws IOException, BadRecord {
    long value;
    if (token == JsonToken.VALUE_NUMBER_INT) {
      value = whole(parser, wanted);
    } else if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      value = wholeOfFraction(parser, token, wanted);
    } else {
      throw wrong(wanted, parser, token);
    }
    if (value < low || value > high) {
      throw outOfRange(parser, wanted);
    }
    return value;
  }

  private static long whole(JsonParser parser, String wanted) throws IOException, BadRecord {
    try {
      return parser.getLongValue();
    } catch (InputCoercionException e) {
      throw outOfRange(parser, wanted);
    }
  }

  private static long wholeOfFraction(JsonParser parser, JsonToken token, String wanted) throws IOException, BadRecord {
    BigDecimal number = number(parser, wanted);
    if (number.signum() != 0 && (long) number.precision() - number.scale() > 19) {
      throw outOfRange(parser, wanted);
    }
    try {
      return number.longValueExact();
    } catch (ArithmeticException e) {
      throw Math.abs(number.doubleValue()) > 9.2e18 ? outOfRange(parser, wanted) : wrong(wanted, parser, token);
    }
  }

  private static Object doubleValue(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    if (token == JsonToken.VALUE_STRING) {
      Double special = NumberText.special(parser.getText());
      if (special != null) {
        return special;
      }
    }
    if (!token.isNumeric()) {
      throw wrong("a double", parser, token);
    }
    double value = parser.getDoubleValue();
    if (Double.isInfinite(value)) {
      throw outOfRange(parser, "a double");
    }
    return value;
  }

  private static Object floatValue(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    if (token == JsonToken.VALUE_STRING) {
      Double special = NumberText.special(parser.getText());
      if (special != null) {
        return special.floatValue();
      }
    }
    if (!token.isNumeric()) {
      throw wrong("a float", parser, token);
    }
    float value = parser.getFloatValue();
    if (Float.isInfinite(value)) {
      throw outOfRange(parser, "a float");
    }
    return value;
  }

  private static Object booleanValue(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    if (!token.isBoolean()) {
      throw wrong("a boolean", parser, token);
    }
    return token == JsonToken.VALUE_TRUE;
  }

  private static Object decimal(JsonParser parser, JsonToken token, DecimalType type) throws IOException, BadRecord {
    if (!token.isNumeric()) {
      throw wrong("a " + type.typeName(), parser, token);
    }
    return NumberText.decimal(number(parser, "a " + type.typeName()), type);
  }

  private static BigDecimal number(JsonParser parser, String wanted) throws IOException, BadRecord {
    try {
      return parser.getDecimalValue();
    } catch (NumberFormatException e) {
      throw outOfRange(parser, wanted);
    }
  }

  private static Object binary(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    try {
      return Base64.getDecoder().decode(text(parser, token, "base64 text").getBytes());
    } catch (IllegalArgumentException e) {
      throw wrong("base64 text", parser, token);
    }
  }

  private static Object timestamp(JsonParser parser, JsonToken token, boolean zoned) throws IOException, BadRecord {
    if (token == JsonToken.VALUE_STRING) {
      UTF8String text = text(parser, token, TimeText.WANTED);
      return zoned ? TimeText.timestamp(text) : TimeText.local(text);
    }
    if (!token.isNumeric()) {
      throw wrong(TimeText.WANTED, parser, token);
    }
    try {
      return token == JsonToken.VALUE_NUMBER_INT
        ? Math.multiplyExact(whole(parser, TimeText.TYPE), 1000L)
        : number(parser, TimeText.TYPE).movePointRight(3).longValueExact();
    } catch (ArithmeticException e) {
      throw outOfRange(parser, TimeText.TYPE);
    }
  }

  private static UTF8String text(JsonParser parser, JsonToken token, String wanted) throws IOException, BadRecord {
    if (token != JsonToken.VALUE_STRING) {
      throw wrong(wanted, parser, token);
    }
    return Utf8Text.of(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
  }

  private static BadRecord wrong(String wanted, JsonParser parser, JsonToken token) throws IOException {
    return BadRecord.wanted(wanted, JsonReader.found(parser, token));
  }

  private static BadRecord outOfRange(JsonParser parser, String wanted) throws IOException {
    return BadRecord.range(parser.getText(), wanted.substring(wanted.indexOf(' ') + 1));
  }
}
