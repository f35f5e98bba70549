package io.holdfast.kernel.serde;

import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;

/** Bytes as they are. */
final class BytesSerde implements Serde {
  private final DataType type;

  BytesSerde(DataType type) {
    if (!(type instanceof BinaryType)) {
      throw new IllegalArgumentException("the format 'bytes' holds binary, not " + type.sql());
    }
    this.type = type;
  }

  @Override
  public DataType type() {
    return type;
  }

  @Override
  public Object decode(byte[] bytes) {
    return bytes;
  }

  @Override
  public byte[] encode(Object value) {
    return (byte[]) value;
  }
}
