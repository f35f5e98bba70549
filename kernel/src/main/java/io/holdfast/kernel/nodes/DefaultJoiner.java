package io.holdfast.kernel.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The joiner of a join that declares none: the fields of both sides. */
public final class DefaultJoiner {
  private DefaultJoiner() {}

  public static JsonNode ofBoth(DataType left, DataType right) {
    if (!(left instanceof StructType l) || !(right instanceof StructType r)) {
      throw new IllegalArgumentException("a join without joiner needs records on both sides, they are "
          + left.simpleString() + " and " + right.simpleString() + "; give a joiner: lambda left, right: ...");
    }
    ArrayNode fields = JsonNodeFactory.instance.arrayNode();
    add(fields, "left", l);
    for (StructField f : r.fields()) {
      if (l.getFieldIndex(f.name()).isDefined()) {
        throw new IllegalArgumentException("both sides of the join have a field '" + f.name()
            + "'; give a joiner: lambda left, right: dict(left, …)");
      }
    }
    add(fields, "right", r);
    return JsonNodeFactory.instance.objectNode().set("struct", fields);
  }

  private static void add(ArrayNode fields, String slot, StructType type) {
    for (StructField f : type.fields()) {
      ObjectNode field = JsonNodeFactory.instance.objectNode().put("slot", slot);
      field.putArray("path").add(f.name());
      fields.add(JsonNodeFactory.instance.arrayNode().add(f.name()).add(field));
    }
  }
}
