package io.holdfast.kernel.serde;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;

/** Scalars as UTF-8 text. */
final class TextSerde implements Serde {
  private final DataType type;
  private transient ScalarText reader;
  private transient ValueWriter writer;
  private transient Utf8Buffer out;

  TextSerde(DataType type) {
    this.type = type;
    prepare();
  }

  private void prepare() {
    reader = ScalarText.of(type);
    writer = TextWriters.of(type);
    out = new Utf8Buffer();
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
    if (reader == null) {
      prepare();
    }
    UTF8String text = UTF8String.fromBytes(bytes);
    if (!(type instanceof BinaryType) && !text.isValid()) {
      throw BadRecord.malformed("wanted text, got " + bytes.length + " bytes that are not UTF-8");
    }
    return reader.parse(text);
  }

  @Override
  public byte[] encode(Object value) {
    if (value == null) {
      return null;
    }
    if (writer == null) {
      prepare();
    }
    out.clear();
    InternalRow row = new GenericInternalRow(new Object[] {value});
    writer.write(row, 0, out);
    return out.toBytes();
  }
}
