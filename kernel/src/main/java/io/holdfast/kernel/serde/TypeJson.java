package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.types.DataType;

/** Spark types from a plan: Spark's own JSON, where {"ddl": "..."} may stand for any type. */
public final class TypeJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private TypeJson() {}

  /** The Spark type that the JSON stands for. */
  public static DataType of(JsonNode type) {
    return DataType.fromJson(resolve(type).toString());
  }

  /** The type as it is written in a plan. */
  public static JsonNode toJson(DataType type) {
    return tree(type.json());
  }

  private static JsonNode resolve(JsonNode type) {
    if (!type.isObject()) {
      return type;
    }
    if (type.has("ddl")) {
      return toJson(DataType.fromDDL(type.get("ddl").asText()));
    }
    ObjectNode copy = type.deepCopy();
    for (String part : new String[] {"elementType", "keyType", "valueType"}) {
      if (copy.has(part)) {
        copy.set(part, resolve(copy.get(part)));
      }
    }
    if (copy.path("fields") instanceof ArrayNode fields) {
      fields.forEach(field -> ((ObjectNode) field).set("type", resolve(field.get("type"))));
    }
    return copy;
  }

  private static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not the JSON of a type: " + json, e);
    }
  }
}
