package io.holdfast.kernel.serde;

import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/** The JSON reader of each type. */
final class JsonReaders {
  private JsonReaders() {}

  static JsonReader of(DataType type) {
    if (type instanceof StructType struct) {
      return new StructReader(struct);
    }
    if (type instanceof ArrayType array) {
      return new ArrayReader(array);
    }
    if (type instanceof MapType map) {
      return new MapReader(map);
    }
    return ScalarReaders.of(type);
  }
}
