package io.holdfast.kernel.nodes;

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Keys of windows: the group's key, and where the window starts and ends. */
public final class WindowKeys {
  /** Marks the times of a window among the fields of a record: they are written as milliseconds. */
  private static final Metadata MARK = new MetadataBuilder().putBoolean("window", true).build();

  private WindowKeys() {}

  public static StructType type(DataType key) {
    return new StructType(new StructField[] {
      DataTypes.createStructField("key", key, false),
      DataTypes.createStructField("start", DataTypes.TimestampType, false, MARK),
      DataTypes.createStructField("end", DataTypes.TimestampType, false, MARK)
    });
  }

  /**
   * @param start in milliseconds
   * @param end in milliseconds
   */
  public static GenericInternalRow of(Object key, long start, long end) {
    return new GenericInternalRow(new Object[] {key, start * 1000, end * 1000});
  }
}
