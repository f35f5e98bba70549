package io.holdfast.judge;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;

/** Values are null, Long, Double, BigDecimal, String, Boolean, List, Map and Windowed; on a topic they are JSON. */
public final class JsonSerde implements Serde<Object> {
  private static final String DECIMAL = "$decimal";
  static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS)
      .registerModule(new SimpleModule().addSerializer(BigDecimal.class, new DecimalSerializer()));
  private static final Set<String> OF_WINDOW = Set.of("key", "start", "end");

  @Override
  public Serializer<Object> serializer() {
    return (topic, value) -> value == null ? null : write(plain(value));
  }

  @Override
  public Deserializer<Object> deserializer() {
    return (topic, bytes) -> bytes == null ? null : windowed(read(bytes));
  }

  /** A windowed key as the record that ours writes. */
  static Object plain(Object value) {
    if (!(value instanceof Windowed<?> w)) {
      return value;
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("key", plain(w.key()));
    out.put("start", w.window().start());
    out.put("end", w.window().end());
    return out;
  }

  private static Object windowed(Object value) {
    if (!(value instanceof Map<?, ?> m) || !m.keySet().equals(OF_WINDOW)) {
      return value;
    }
    return new Windowed<>(windowed(m.get("key")), new SessionWindow((Long) m.get("start"), (Long) m.get("end")));
  }

  /** What was read, with its decimals; JSON's own numbers would be doubles. */
  static Object decimals(Object json) {
    if (json instanceof List<?> items) {
      List<Object> out = new ArrayList<>();
      items.forEach(each -> out.add(decimals(each)));
      return out;
    }
    if (!(json instanceof Map<?, ?> fields)) {
      return json;
    }
    if (fields.size() == 1 && fields.get(DECIMAL) instanceof String text) {
      return new BigDecimal(text);
    }
    Map<String, Object> out = new LinkedHashMap<>();
    fields.forEach((name, each) -> out.put((String) name, decimals(each)));
    return out;
  }

  private static final class DecimalSerializer extends JsonSerializer<BigDecimal> {
    @Override
    public void serialize(BigDecimal value, JsonGenerator out, SerializerProvider all) throws IOException {
      out.writeStartObject();
      out.writeStringField(DECIMAL, value.toPlainString());
      out.writeEndObject();
    }
  }

  private static byte[] write(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object read(byte[] bytes) {
    try {
      return decimals(JSON.readValue(bytes, Object.class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
