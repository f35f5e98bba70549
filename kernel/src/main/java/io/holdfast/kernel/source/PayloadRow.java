package io.holdfast.kernel.source;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;

/** A payload as the row that Spark reads from the source; the row is reused for the next payload. */
final class PayloadRow {
  private final UnsafeRowWriter writer;

  /**
   * @param bytes how large a payload usually is
   */
  PayloadRow(int bytes) {
    writer = new UnsafeRowWriter(1, bytes);
  }

  InternalRow of(byte[] payload) {
    writer.reset();
    writer.zeroOutNullBytes();
    writer.write(0, payload);
    return writer.getRow();
  }
}
