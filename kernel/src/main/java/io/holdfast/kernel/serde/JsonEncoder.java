package io.holdfast.kernel.serde;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Writes Catalyst values as JSON into one buffer. */
final class JsonEncoder {
  private final Utf8Buffer out = new Utf8Buffer();
  private final StructWriter record;
  private final ValueWriter writer;
  private final Object[] holder = new Object[1];
  private final InternalRow holderRow = new GenericInternalRow(holder);

  JsonEncoder(DataType type) {
    record = type instanceof StructType struct ? new StructWriter(struct) : null;
    writer = record != null ? record : JsonWriters.of(type);
  }

  byte[] encode(Object value) {
    out.clear();
    if (record != null) {
      record.write((InternalRow) value, out);
    } else {
      holder[0] = value;
      writer.write(holderRow, 0, out);
    }
    return out.toBytes();
  }
}
