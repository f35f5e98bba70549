package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.MapType;

/** Reads an object into a map, its names as the text form of the keys. */
final class MapReader implements JsonReader {
  private final ScalarText key;
  private final JsonReader value;
  private final boolean nullable;

  MapReader(MapType type) {
    if (type.keyType() instanceof BinaryType || !ScalarText.known(type.keyType())) {
      throw new IllegalArgumentException("a map with keys of type " + type.keyType().sql() + " has no JSON form");
    }
    key = ScalarText.of(type.keyType());
    value = JsonReaders.of(type.valueType());
    nullable = type.valueContainsNull();
  }

  @Override
  public Object read(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    if (token != JsonToken.START_OBJECT) {
      throw BadRecord.wanted("an object", JsonReader.found(parser, token));
    }
    Map<Object, Object> entries = new LinkedHashMap<>();
    String name;
    while ((name = parser.nextFieldName()) != null) {
      entry(entries, name, parser, parser.nextToken());
    }
    return new ArrayBasedMapData(
      new GenericArrayData(entries.keySet().toArray()), new GenericArrayData(entries.values().toArray()));
  }

  private void entry(Map<Object, Object> entries, String name, JsonParser parser, JsonToken token)
    throws IOException, BadRecord {
    try {
      if (token == JsonToken.VALUE_NULL && !nullable) {
        throw BadRecord.value("null in a map without nulls");
      }
      Object read = token == JsonToken.VALUE_NULL ? null : value.read(parser, token);
      entries.put(key.parse(Utf8Text.of(name)), read);
    } catch (BadRecord e) {
      throw e.in(name);
    }
  }
}
