package io.holdfast.kernel.nodes;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The order of keys whose timers are due at the same time, as in Kafka Streams: by the key as it is written to a topic, and windows by
 * their start.
 *
 * <p>An entry is the bytes that sort, the key's own bytes, and the length of the former.
 */
public final class WaitingKeys {
  private final DataType type;

  public WaitingKeys(DataType type) {
    this.type = type;
  }

  public byte[] entry(Object key, byte[] bytes) {
    byte[] order = order(key);
    return ByteBuffer.allocate(order.length + bytes.length + 4).put(order).put(bytes).putInt(order.length).array();
  }

  public static byte[] key(byte[] entry) {
    int end = entry.length - 4;
    return Arrays.copyOfRange(entry, ByteBuffer.wrap(entry).getInt(end), end);
  }

  private byte[] order(Object key) {
    if (!(type instanceof StructType windowed) || !WindowKeys.type(windowed.fields()[0].dataType()).equals(windowed)) {
      return written(key);
    }
    InternalRow row = (InternalRow) key;
    byte[] inner = row.isNullAt(0) ? new byte[0] : written(row.get(0, windowed.fields()[0].dataType()));
    return ByteBuffer.allocate(inner.length + 8).put(inner).putLong(WindowKeys.start(row)).array();
  }

  private static byte[] written(Object key) {
    if (key instanceof UTF8String text) {
      return text.getBytes();
    }
    return key instanceof Number number ? number.toString().getBytes(StandardCharsets.UTF_8) : new byte[0];
  }
}
