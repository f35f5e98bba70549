package io.holdfast.kernel.serde;

import java.nio.ByteBuffer;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/** Integers in Kafka's binary form: 4 or 8 bytes, big-endian. */
final class IntegerSerde implements Serde {
  private final DataType type;
  private final int width;

  IntegerSerde(DataType type, int width) {
    boolean small = type instanceof IntegerType || type instanceof ShortType || type instanceof ByteType;
    if (!small && !(type instanceof LongType)) {
      throw new IllegalArgumentException("int" + width * 8 + " holds integers, not " + type.sql());
    }
    this.type = type;
    this.width = width;
  }

  @Override
  public DataType type() {
    return type;
  }

  @Override
  public Object decode(byte[] bytes) throws BadRecord {
    if (bytes == null) {
      return null;
    }
    if (bytes.length != width) {
      throw BadRecord.wanted("an int" + width * 8 + " of " + width + " bytes", bytes.length + " bytes");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return narrow(width == Integer.BYTES ? buffer.getInt() : buffer.getLong());
  }

  private Object narrow(long value) throws BadRecord {
    if (type instanceof LongType) {
      return value;
    } else if (type instanceof IntegerType && value == (int) value) {
      return (int) value;
    } else if (type instanceof ShortType && value == (short) value) {
      return (short) value;
    } else if (type instanceof ByteType && value == (byte) value) {
      return (byte) value;
    }
    throw BadRecord.range(String.valueOf(value), type.typeName());
  }

  @Override
  public byte[] encode(Object value) {
    if (value == null) {
      return null;
    }
    long number = ((Number) value).longValue();
    if (width == Long.BYTES) {
      return ByteBuffer.allocate(width).putLong(number).array();
    }
    if (number != (int) number) {
      throw new IllegalArgumentException(number + " is out of range for int32");
    }
    return ByteBuffer.allocate(width).putInt((int) number).array();
  }
}
