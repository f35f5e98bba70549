package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.serde.Types;
import org.apache.spark.sql.types.DataType;

/** The serde of an output: the format that the user asked for, on the type that really comes. */
final class OutputSerdes {
  private OutputSerdes() {}

  static Serde of(JsonNode serde, DataType actual) {
    ObjectNode asked = serde.deepCopy();
    asked.set("type", Types.toJson(actual));
    return Serdes.of(asked);
  }
}
