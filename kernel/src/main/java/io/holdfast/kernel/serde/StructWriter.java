package io.holdfast.kernel.serde;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Writes a row as an object with every field. */
final class StructWriter implements ValueWriter {
  static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  private final byte[][] names;
  private final ValueWriter[] writers;

  StructWriter(StructType type) {
    StructField[] fields = type.fields();
    names = new byte[fields.length][];
    writers = new ValueWriter[fields.length];
    boolean windowed = WindowTimes.isWindowed(type);
    for (int i = 0; i < fields.length; i++) {
      names[i] = name(fields[i].name(), i);
      writers[i] = windowed && WindowTimes.isMarked(fields[i]) ? StructWriter::milliseconds : JsonWriters.of(fields[i].dataType());
    }
  }

  /** The times of a window's key. */
  private static void milliseconds(SpecializedGetters values, int index, Utf8Buffer out) {
    out.ascii(Long.toString(Math.floorDiv(values.getLong(index), 1000L)));
  }

  private static byte[] name(String name, int index) {
    Utf8Buffer out = new Utf8Buffer();
    out.put(index == 0 ? '{' : ',');
    out.quoted(UTF8String.fromString(name));
    out.put(':');
    return out.toBytes();
  }

  @Override
  public void write(SpecializedGetters values, int index, Utf8Buffer out) {
    write(values.getStruct(index, names.length), out);
  }

  void write(InternalRow row, Utf8Buffer out) {
    if (names.length == 0) {
      out.put('{');
    }
    for (int i = 0; i < names.length; i++) {
      out.put(names[i]);
      if (row.isNullAt(i)) {
        out.put(NULL);
      } else {
        writers[i].write(row, i, out);
      }
    }
    out.put('}');
  }
}
