package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;

/** Reads an array. */
final class ArrayReader implements JsonReader {
  private final JsonReader item;
  private final boolean nullable;

  ArrayReader(ArrayType type) {
    item = JsonReaders.of(type.elementType());
    nullable = type.containsNull();
  }

  @Override
  public Object read(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    if (token != JsonToken.START_ARRAY) {
      throw BadRecord.wanted("an array", JsonReader.found(parser, token));
    }
    List<Object> items = new ArrayList<>();
    for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
      items.add(item(parser, next, items.size()));
    }
    return new GenericArrayData(items.toArray());
  }

  private Object item(JsonParser parser, JsonToken token, int index) throws IOException, BadRecord {
    try {
      if (token != JsonToken.VALUE_NULL) {
        return item.read(parser, token);
      }
      if (nullable) {
        return null;
      }
      throw BadRecord.value("null in an array without nulls");
    } catch (BadRecord e) {
      throw e.at(index);
    }
  }
}
