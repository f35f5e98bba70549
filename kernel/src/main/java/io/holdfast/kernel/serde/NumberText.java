package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/** Text of floating point numbers, as Python prints them, and decimals that fit their type. */
final class NumberText {
  private NumberText() {}

  /** The number that a word stands for, or null. */
  static Double special(String word) {
    return switch (word) {
      case "NaN", "nan" -> Double.NaN;
      case "Infinity", "inf" -> Double.POSITIVE_INFINITY;
      case "-Infinity", "-inf" -> Double.NEGATIVE_INFINITY;
      default -> null;
    };
  }

  /** The decimal rounded half up to the scale of the type. */
  static Decimal decimal(BigDecimal number, DecimalType type) throws BadRecord {
    long wholeDigits = (long) number.precision() - number.scale();
    // A huge exponent must be settled before setScale writes out its zeros.
    if (number.signum() == 0 || wholeDigits < -type.scale()) {
      return Decimal.apply(BigDecimal.ZERO.setScale(type.scale()), type.precision(), type.scale());
    }
    if (wholeDigits <= type.precision() - type.scale()) {
      BigDecimal scaled = number.setScale(type.scale(), RoundingMode.HALF_UP);
      if (scaled.precision() <= type.precision()) {
        return Decimal.apply(scaled, type.precision(), type.scale());
      }
    }
    throw BadRecord.range(number.toString(), type.typeName());
  }

  /** The shortest text that reads back as the same double: 0.1, 1e+22, 5e-07. */
  static String text(double value) {
    return python(NumberOutput.toString(value, true));
  }

  /** The shortest text that reads back as the same float. */
  static String text(float value) {
    return python(NumberOutput.toString(value, true));
  }

  private static String python(String java) {
    int mark = java.indexOf('E');
    if (mark < 0) {
      return java;
    }
    int exponent = Integer.parseInt(java.substring(mark + 1));
    String digits = java.substring(0, mark);
    if (exponent >= -4 && exponent < 16) {
      String plain = new BigDecimal(java).stripTrailingZeros().toPlainString();
      return plain.indexOf('.') < 0 ? plain + ".0" : plain;
    }
    String mantissa = digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits;
    String padded = Math.abs(exponent) < 10 ? "0" + Math.abs(exponent) : String.valueOf(Math.abs(exponent));
    return mantissa + (exponent < 0 ? "e-" : "e+") + padded;
  }
}
