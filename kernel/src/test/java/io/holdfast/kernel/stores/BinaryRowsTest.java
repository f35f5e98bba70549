package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.util.Arrays;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Rows made by hand are, byte for byte, those that Spark's own projections make of the same values. */
public final class BinaryRowsTest {
  private static final StructType COLUMN = new StructType().add("value", DataTypes.BinaryType);

  private BinaryRowsTest() {}

  public static void main(String[] args) {
    Checks check = new Checks();
    UnsafeProjection one = UnsafeProjection.create(COLUMN);
    UnsafeProjection nested = UnsafeProjection.create(new StructType().add("key", COLUMN));
    UnsafeProjection composite = UnsafeProjection.create(new StructType().add("key", COLUMN).add("userKey", COLUMN));
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      byte[] first = bytes(random);
      byte[] second = bytes(random);
      check.equal("one column", one.apply(row(first)), BinaryRows.of(first));
      check.equal("in two pieces", one.apply(row(joined(first, second))), BinaryRows.of(first, second));
      check.equal("a row in a row", nested.apply(row(row(first))), BinaryRows.ofRows(first));
      check.equal("two rows in a row", composite.apply(row(row(first), row(second))), BinaryRows.ofRows(first, second));
      check.equal("read back", Arrays.toString(second), Arrays.toString(BinaryRows.ofRows(first, second).getStruct(1, 1).getBinary(0)));
    }
    check.end();
  }

  private static InternalRow row(Object... values) {
    return new GenericInternalRow(values);
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(40)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
