package io.holdfast.kernel.serde;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** The key of a windowed key as bytes of a topic: it decides the partition of its windows. */
public record InnerKey(DataType type, Serde serde) implements Serializable {
  /** For keys of this type; null if they have no window. */
  public static InnerKey of(DataType key) {
    if (!WindowTimes.isWindowed(key)) {
      return null;
    }
    DataType inner = ((StructType) key).fields()[0].dataType();
    return new InnerKey(inner, Serdes.defaultFor(inner));
  }

  public byte[] bytes(Object windowed) {
    return serde.encode(((InternalRow) windowed).get(0, type));
  }
}
