package io.holdfast.kernel.serde;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/** The serdes of a plan: {"format": "json"|"text"|"int32"|"int64"|"bytes", "type": T}. */
public final class Serdes {
  private Serdes() {}

  /** The serde that the plan describes. */
  public static Serde of(JsonNode serde) {
    DataType type = TypeJson.of(serde.get("type"));
    String format = serde.get("format").asText();
    return switch (format) {
      case "json" -> json(type);
      case "text" -> new TextSerde(type);
      case "int32" -> new IntegerSerde(type, Integer.BYTES);
      case "int64" -> new IntegerSerde(type, Long.BYTES);
      case "bytes" -> new BytesSerde(type);
      default -> throw new IllegalArgumentException(
        "unknown serde format '" + format + "'; wanted json, text, int32, int64 or bytes");
    };
  }

  /** The serde of a type for which none was given: raw for binary, text for other scalars, JSON for the rest. */
  public static Serde defaultFor(DataType type) {
    if (type instanceof BinaryType) {
      return new BytesSerde(type);
    }
    boolean nested = type instanceof StructType || type instanceof ArrayType || type instanceof MapType;
    return nested || !ScalarText.known(type) ? json(type) : new TextSerde(type);
  }

  /** JSON of the type. */
  public static Serde json(DataType type) {
    return new JsonSerde(type);
  }
}
