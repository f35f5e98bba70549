package io.holdfast.kernel.nodes.streams;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.kernel.expr.Widening;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.serde.TypeJson;
import org.apache.spark.sql.types.DataType;

/** The serde of an output: the declared format, with the actual type. */
final class OutputSerdes {
  private OutputSerdes() {}

  /** The serde of `part`, the key or the value; refused if the declared type cannot hold the actual one. */
  static Serde of(String part, JsonNode serde, DataType actual) {
    DataType declared = TypeJson.of(serde.get("type"));
    Widening.Mismatch wrong = Widening.unwritable(actual, declared);
    if (wrong != null) {
      throw new IllegalArgumentException(wrong.in() + "the " + part + " is " + wrong.from().sql() + ", " + part + "= declares "
          + wrong.to().sql() + ", which cannot hold it; declare what comes, or make it so before: F.cast(x, ...)");
    }
    ObjectNode written = serde.deepCopy();
    written.set("type", TypeJson.toJson(actual));
    return Serdes.of(written);
  }
}
