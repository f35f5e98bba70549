package io.holdfast.judge;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/** Values are null, Long, String, Boolean, List and Map; on a topic they are JSON. */
public final class JsonSerde implements Serde<Object> {
  static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

  @Override
  public Serializer<Object> serializer() {
    return (topic, value) -> value == null ? null : write(value);
  }

  @Override
  public Deserializer<Object> deserializer() {
    return (topic, bytes) -> bytes == null ? null : read(bytes);
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
      return JSON.readValue(bytes, Object.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
