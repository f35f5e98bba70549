package io.holdfast.kernel.expr;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.serde.BadRecord;
import io.holdfast.kernel.serde.Serdes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** Constants of the plan document as Catalyst literals. */
final class Literals {
  private Literals() {}

  static Expression ofNull() {
    return new Literal(null, DataTypes.NullType);
  }

  static Expression string(String s) {
    return new Literal(UTF8String.fromString(s), DataTypes.StringType);
  }

  static Expression typed(JsonNode v, DataType type) {
    try {
      return new Literal(v.isNull() ? null : Serdes.json(type).decode(v.toString().getBytes(StandardCharsets.UTF_8)), type);
    } catch (BadRecord bad) {
      throw new IllegalArgumentException("constant " + v + " is not a " + type.simpleString() + ": " + bad.getMessage());
    }
  }

  static Expression inferred(JsonNode v) {
    if (v.isNull()) {
      return ofNull();
    }
    if (v.isBoolean()) {
      return new Literal(v.asBoolean(), DataTypes.BooleanType);
    }
    if (v.isIntegralNumber()) {
      return v.canConvertToInt() ? new Literal(v.asInt(), DataTypes.IntegerType) : new Literal(v.asLong(), DataTypes.LongType);
    }
    if (v.isNumber()) {
      return new Literal(v.asDouble(), DataTypes.DoubleType);
    }
    if (v.isTextual()) {
      return string(v.asText());
    }
    return v.isArray() ? array(v) : struct(v);
  }

  private static Expression array(JsonNode v) {
    List<Expression> items = new ArrayList<>();
    v.forEach(i -> items.add(inferred(i)));
    return new CreateArray(ScalaCollections.seq(items), false);
  }

  private static Expression struct(JsonNode v) {
    List<Expression> parts = new ArrayList<>();
    v.fields().forEachRemaining(f -> {
      parts.add(string(f.getKey()));
      parts.add(inferred(f.getValue()));
    });
    return new CreateNamedStruct(ScalaCollections.seq(parts));
  }
}
