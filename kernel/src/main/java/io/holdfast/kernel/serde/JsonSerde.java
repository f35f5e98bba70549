package io.holdfast.kernel.serde;

import org.apache.spark.sql.types.DataType;

/** JSON documents of a type. */
final class JsonSerde implements Serde {
  private final DataType type;
  private transient JsonDecoder decoder;
  private transient JsonEncoder encoder;

  JsonSerde(DataType type) {
    this.type = type;
    this.decoder = new JsonDecoder(type);
    this.encoder = new JsonEncoder(type);
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
    if (decoder == null) {
      decoder = new JsonDecoder(type);
    }
    return decoder.decode(bytes);
  }

  @Override
  public byte[] encode(Object value) {
    if (value == null) {
      return null;
    }
    if (encoder == null) {
      encoder = new JsonEncoder(type);
    }
    return encoder.encode(value);
  }
}
