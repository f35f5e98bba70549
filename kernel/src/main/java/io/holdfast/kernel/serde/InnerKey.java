package io.holdfast.kernel.serde;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** The key in a window by itself, as a topic has it: it says in which partition its windows lie. */
public record InnerKey(DataType type, Serde serde) implements Serializable {
  /** That of such keys, or null if keys of this type have no window. */
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
