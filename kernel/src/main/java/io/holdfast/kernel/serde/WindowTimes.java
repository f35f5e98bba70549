package io.holdfast.kernel.serde;

import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The type of keys in windows: the times of the window are marked, and written as milliseconds. */
public final class WindowTimes {
  private static final Metadata MARK = new MetadataBuilder().putBoolean("window", true).build();

  private WindowTimes() {}

  /** The type of such keys; every part may be null, as everywhere in a topology. */
  public static StructType type(DataType key) {
    return new StructType(new StructField[] {
      DataTypes.createStructField("key", key, true),
      DataTypes.createStructField("start", DataTypes.TimestampType, true, MARK),
      DataTypes.createStructField("end", DataTypes.TimestampType, true, MARK)
    });
  }

  public static boolean isWindowed(DataType type) {
    return type instanceof StructType s && s.size() == 3 && s.fields()[0].name().equals("key")
        && isTime(s.fields()[1], "start") && isTime(s.fields()[2], "end");
  }

  private static boolean isTime(StructField field, String name) {
    return field.name().equals(name) && field.dataType().equals(DataTypes.TimestampType) && isMarked(field);
  }

  static boolean isMarked(StructField field) {
    return field.metadata().contains("window");
  }

  /** A record that was made of the times of a window is a plain record. */
  public static StructType unmarked(StructType made) {
    return new StructType(Arrays.stream(made.fields())
        .map(f -> isMarked(f) ? new StructField(f.name(), f.dataType(), f.nullable(), Metadata.empty()) : f)
        .toArray(StructField[]::new));
  }
}
