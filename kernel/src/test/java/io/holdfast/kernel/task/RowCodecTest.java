package io.holdfast.kernel.task;

import io.holdfast.kernel.Checks;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A record has the same bytes whether it is a row of Spark's already or has to become one. */
public final class RowCodecTest {
  private static final StructType TYPE = new StructType().add("count", "long").add("name", "string").add("share", "double");

  private RowCodecTest() {}

  public static void main(String[] args) {
    Checks check = new Checks();
    RowCodec codec = new RowCodec(TYPE);
    UnsafeProjection projection = UnsafeProjection.create(TYPE);
    for (Object[] fields : new Object[][] {
      {7L, UTF8String.fromString("a name of more than eight bytes"), 0.5},
      {-1L, UTF8String.fromString(""), null},
      {null, null, null},
    }) {
      InternalRow loose = new GenericInternalRow(fields);
      UnsafeRow row = projection.apply(loose).copy();
      String what = Arrays.toString(fields);
      check.equal(what, hex(codec.encode(loose)), hex(codec.encode(row)));
      check.equal(what + " behind a number", hex(codec.encode(42, loose)), hex(codec.encode(42, row)));
      check.equal(what + " and back", row, codec.decode(codec.encode(row)));
      check.equal("the number", 42L, ByteBuffer.wrap(codec.encode(42, row)).getLong());
    }
    check.equal("nothing", null, codec.decode(codec.encode(null)));
    check.end();
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
