package io.holdfast.kernel.serde;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads objects of plain ASCII text, whole and short decimal numbers, truth values and nulls, in one pass over the bytes.
 *
 * <p>It returns null for anything else, wrong documents among them: the parser reads those, and reports what is wrong.
 */
final class AsciiJsonReader {
  private static final int REMEMBERED = 32;
  private static final int LONGEST_NAME = 1000;
  private static final int DIGITS = 18;
  /** Up to here digits and powers of ten are exact as doubles, so that their quotient is the nearest one. */
  private static final int EXACT_DIGITS = 15;
  private static final double[] POWERS = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18
  };

  private enum Kind { BYTE, SHORT, INT, LONG, DOUBLE, BOOLEAN, TEXT }

  private static final Object NONE = new Object();
  private final byte[][] names;
  private final Kind[] kinds;
  private final boolean[] nullable;
  private final Object[] defaults;
  /** The fields of the last document by position. */
  private final int[] places = new int[REMEMBERED];
  private byte[] bytes;
  private int at;

  private AsciiJsonReader(StructType type, Kind[] kinds, Object[] defaults) {
    this.kinds = kinds;
    this.defaults = defaults;
    this.names = Arrays.stream(type.fieldNames()).map(n -> n.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    this.nullable = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      nullable[i] = type.fields()[i].nullable();
    }
  }

  /** A reader for the type; null if it has fields that need the parser. */
  static AsciiJsonReader of(DataType type, Object[] defaults) {
    if (!(type instanceof StructType struct) || struct.length() == 0) {
      return null;
    }
    Kind[] kinds = new Kind[struct.length()];
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] = kind(struct.fields()[i].dataType());
      if (kinds[i] == null || struct.fields()[i].name().chars().anyMatch(c -> c < ' ' || c == '"' || c == '\\')) {
        return null;
      }
    }
    return new AsciiJsonReader(struct, kinds, defaults);
  }

  private static Kind kind(DataType type) {
    if (type instanceof IntegerType) {
      return Kind.INT;
    } else if (type instanceof LongType) {
      return Kind.LONG;
    } else if (type instanceof ShortType) {
      return Kind.SHORT;
    } else if (type instanceof ByteType) {
      return Kind.BYTE;
    } else if (type instanceof DoubleType) {
      return Kind.DOUBLE;
    } else if (type instanceof BooleanType) {
      return Kind.BOOLEAN;
    }
    return type instanceof StringType ? Kind.TEXT : null;
  }

  /** The row, or null if the parser has to look at it. */
  GenericInternalRow read(byte[] document) {
    bytes = document;
    at = 0;
    Object[] values = defaults.clone();
    if (next() != '{' || !fields(values) || next() != -1) {
      return null;
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null && !nullable[i]) {
        return null;
      }
    }
    return new GenericInternalRow(values);
  }

  private boolean fields(Object[] values) {
    for (int place = 0; ; place++) {
      if (next() != '"') {
        return false;
      }
      int index = name(place);
      if (index < -1 || next() != ':') {
        return false;
      }
      Object value = value(index < 0 ? null : kinds[index]);
      if (value == NONE || value == null && index >= 0 && !nullable[index]) {
        return false;
      }
      if (index >= 0) {
        values[index] = value;
      }
      int after = next();
      if (after == '}') {
        return true;
      } else if (after != ',') {
        return false;
      }
    }
  }

  /** The next byte that is not white space, which is passed; -1 at the end. */
  private int next() {
    while (at < bytes.length) {
      int b = bytes[at++] & 0xFF;
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b;
      }
    }
    return -1;
  }

  /** The field of the name behind a quote: -1 if it is not of the type, -2 if it is no plain name. */
  private int name(int place) {
    int guess = place < REMEMBERED ? places[place] : 0;
    if (isNamed(guess)) {
      at += names[guess].length + 1;
      return guess;
    }
    for (int i = 0; i < names.length; i++) {
      if (isNamed(i)) {
        at += names[i].length + 1;
        if (place < REMEMBERED) {
          places[place] = i;
        }
        return i;
      }
    }
    int start = at;
    return quoted() && at - start <= LONGEST_NAME ? -1 : -2;
  }

  private boolean isNamed(int i) {
    byte[] name = names[i];
    int end = at + name.length;
    return end < bytes.length && bytes[end] == '"' && Arrays.equals(bytes, at, end, name, 0, name.length);
  }

  /** Passes plain text up to its closing quote. */
  private boolean quoted() {
    while (at < bytes.length) {
      byte b = bytes[at++];
      if (b == '"') {
        return true;
      } else if (b < ' ' || b == '\\') {
        return false;
      }
    }
    return false;
  }

  /** The value of a kind, or of any if it is not wanted. */
  private Object value(Kind kind) {
    int first = next();
    return switch (first) {
      case '"' -> text(kind);
      case 't' -> word("rue") && (kind == null || kind == Kind.BOOLEAN) ? Boolean.TRUE : NONE;
      case 'f' -> word("alse") && (kind == null || kind == Kind.BOOLEAN) ? Boolean.FALSE : NONE;
      case 'n' -> word("ull") ? null : NONE;
      default -> number(kind, first);
    };
  }

  private Object text(Kind kind) {
    int start = at;
    if (kind != null && kind != Kind.TEXT || !quoted()) {
      return NONE;
    }
    return kind == null ? null : UTF8String.fromBytes(Arrays.copyOfRange(bytes, start, at - 1));
  }

  private boolean word(String rest) {
    if (bytes.length - at < rest.length()) {
      return false;
    }
    for (int i = 0; i < rest.length(); i++) {
      if (bytes[at++] != rest.charAt(i)) {
        return false;
      }
    }
    return isDelimited();
  }

  private boolean isDelimited() {
    if (at >= bytes.length) {
      return false;
    }
    byte b = bytes[at];
    return b == ',' || b == '}' || b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  private Object number(Kind kind, int first) {
    boolean negative = first == '-';
    int start = negative ? at : at - 1;
    at = start;
    long whole = digits(0);
    int length = at - start;
    if (length == 0 || length > DIGITS || length > 1 && bytes[start] == '0') {
      return NONE;
    }
    if (at < bytes.length && bytes[at] == '.') {
      return kind == null || kind == Kind.DOUBLE ? fraction(kind, whole, length, negative) : NONE;
    }
    return isDelimited() ? whole(kind, negative ? -whole : whole, length) : NONE;
  }

  /** The digits from here on, behind those that are there. */
  private long digits(long before) {
    long value = before;
    while (at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9') {
      value = value * 10 + bytes[at++] - '0';
    }
    return value;
  }

  private Object whole(Kind kind, long value, int length) {
    if (kind == null) {
      return null;
    }
    return switch (kind) {
      case INT -> value == (int) value ? (Object) (int) value : NONE;
      case LONG -> value;
      case SHORT -> value == (short) value ? (Object) (short) value : NONE;
      case BYTE -> value == (byte) value ? (Object) (byte) value : NONE;
      case DOUBLE -> value != 0 && length <= EXACT_DIGITS ? (Object) (double) value : NONE;
      default -> NONE;
    };
  }

  private Object fraction(Kind kind, long whole, int length, boolean negative) {
    int start = ++at;
    long all = digits(whole);
    int scale = at - start;
    if (scale == 0 || length + scale > EXACT_DIGITS || all == 0 || !isDelimited()) {
      return NONE;
    }
    if (kind == null) {
      return null;
    }
    double value = all / POWERS[scale];
    return negative ? -value : value;
  }
}
