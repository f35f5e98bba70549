package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Reads an object into a row. */
final class StructReader implements JsonReader {
  private static final int REMEMBERED = 64;
  private static final int UNKNOWN = -1;

  private final String[] names;
  private final JsonReader[] readers;
  private final boolean[] nullable;
  private final int[] required;
  private final Object[] defaults;
  private final Map<String, Integer> indexes = new HashMap<>();
  // Documents of a topic repeat their order of fields, and the parser gives the same String for the same name:
  // so one comparison with the n-th field of the last document finds the index of the n-th field of this one.
  private final String[] lastNames = new String[REMEMBERED];
  private final int[] lastIndexes = new int[REMEMBERED];

  StructReader(StructType type) {
    StructField[] fields = type.fields();
    names = new String[fields.length];
    readers = new JsonReader[fields.length];
    nullable = new boolean[fields.length];
    defaults = new Object[fields.length];
    for (int i = 0; i < fields.length; i++) {
      names[i] = fields[i].name();
      readers[i] = JsonReaders.of(fields[i].dataType());
      nullable[i] = fields[i].nullable();
      defaults[i] = defaultOf(fields[i]);
      indexes.put(names[i], i);
    }
    required = IntStream.range(0, fields.length).filter(i -> !nullable[i] && defaults[i] == null).toArray();
  }

  /** The values of missing fields. */
  Object[] defaults() {
    return defaults;
  }

  @Override
  public Object read(JsonParser parser, JsonToken token) throws IOException, BadRecord {
    if (token != JsonToken.START_OBJECT) {
      throw BadRecord.wanted("an object", JsonReader.found(parser, token));
    }
    Object[] values = defaults.clone();
    String name;
    for (int place = 0; (name = parser.nextFieldName()) != null; place++) {
      int index = index(name, place);
      JsonToken value = parser.nextToken();
      if (index == UNKNOWN) {
        parser.skipChildren();
      } else {
        values[index] = field(index, parser, value);
      }
    }
    for (int index : required) {
      if (values[index] == null) {
        throw BadRecord.missing(names[index]);
      }
    }
    return new GenericInternalRow(values);
  }

  private Object field(int index, JsonParser parser, JsonToken token) throws IOException, BadRecord {
    try {
      if (token != JsonToken.VALUE_NULL) {
        return readers[index].read(parser, token);
      }
      if (nullable[index]) {
        return null;
      }
      throw BadRecord.value("null in a required field");
    } catch (BadRecord e) {
      throw e.in(names[index]);
    }
  }

  private int index(String name, int place) {
    if (place < REMEMBERED && lastNames[place] == name) {
      return lastIndexes[place];
    }
    int index = indexes.getOrDefault(name, UNKNOWN);
    if (place < REMEMBERED) {
      lastNames[place] = name;
      lastIndexes[place] = index;
    }
    return index;
  }

  private static Object defaultOf(StructField field) {
    if (!field.metadata().contains("default")) {
      return null;
    }
    try {
      JsonNode value = new ObjectMapper().readTree(field.metadata().json()).get("default");
      // The program writes decimals as text, so that no digit is lost.
      String json = field.dataType() instanceof DecimalType && value.isTextual() ? value.asText() : value.toString();
      return new JsonDecoder(field.dataType()).decode(json.getBytes(StandardCharsets.UTF_8));
    } catch (IOException | BadRecord e) {
      throw new IllegalArgumentException("default of field '" + field.name() + "': " + e.getMessage(), e);
    }
  }
}
