package io.holdfast.kernel.nodes;

import java.util.Arrays;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A declared type as it is inside the topology: every part may be null, and the serde has applied the defaults. */
public final class NullableType {
  private NullableType() {}

  public static DataType of(DataType type) {
    if (type instanceof ArrayType a) {
      return new ArrayType(of(a.elementType()), true);
    }
    if (type instanceof MapType m) {
      return new MapType(of(m.keyType()), of(m.valueType()), true);
    }
    if (type instanceof StructType s) {
      return new StructType(Arrays.stream(s.fields())
          .map(f -> new StructField(f.name(), of(f.dataType()), true, Metadata.empty()))
          .toArray(StructField[]::new));
    }
    return type;
  }
}
