package io.holdfast.kernel.task;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.rows.BlockPacker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * A record between two stages, as bytes: edge (2), timestamp (8), flags (1), length of the order (2), order, then number (8, if there), key,
 * headers, old value (each with its length, if there) and value; a record that is a payload of its own begins with its label (2).
 */
public final class Envelope {
  private static final int LABEL = 2;
  private static final int FIXED = 13;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int OLD = 4;
  private static final int HEADERS = 8;
  private static final int PARTIAL = 16;
  private static final int COPIES_ONLY = 64;
  private static final int OUTDATED = 32;
  private static final int NUMBER = 128;

  private Envelope() {}

  /** The edge of a record without its label. */
  static int edge(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
  }

  /** The input of a record that a node has stored. */
  static int port(byte[] stored) {
    return edge(stored, LABEL);
  }

  /** A whole record as bytes, for a node that stores it until later. */
  public static byte[] encodeStored(StreamRecord r, byte[] key, RowCodec values) {
    return encode((short) 0, 0, r, r.order, key, values);
  }

  /** A record that a node has stored. */
  public static StreamRecord decodeStored(byte[] bytes, RowCodec keys, RowCodec values) {
    return decode(bytes, keys, values);
  }

  static byte[] encode(short label, int edge, StreamRecord r, byte[] order, byte[] key, RowCodec values) {
    BlockPacker out = new BlockPacker(BlockPacker.NONE);
    write(out, label, edge, r, order, key, values);
    return out.bytes();
  }

  static void write(BlockPacker out, short label, int edge, StreamRecord r, byte[] order, byte[] key, RowCodec values) {
    byte[] headers = r.headers == null ? null : headers(r.headers);
    byte[] old = r.old == null ? null : values.encode(r.old);
    UnsafeRow value = r.value == null ? null : values.row(r.value);
    boolean numbered = r.number != StreamRecord.UNNUMBERED;
    int size = FIXED + order.length + (numbered ? Long.BYTES : 0) + sized(key) + sized(headers) + sized(old) + (value == null ? 0 : value.getSizeInBytes());
    int flags = (key == null ? 0 : KEY) | (value == null ? 0 : VALUE) | (old == null ? 0 : OLD) | (headers == null ? 0 : HEADERS)
        | (r.partial ? PARTIAL : 0) | (r.outdated ? OUTDATED : 0) | (r.copiesOnly ? COPIES_ONLY : 0) | (numbered ? NUMBER : 0);
    int begin = out.room(label, size);
    ByteBuffer b = ByteBuffer.wrap(out.bytes(), begin, size);
    b.putShort((short) edge).putLong(r.timestamp).put((byte) flags).putShort((short) order.length).put(order);
    if (numbered) {
      b.putLong(r.number);
    }
    put(b, key);
    put(b, headers);
    put(b, old);
    if (value != null) {
      value.writeToMemory(out.bytes(), Platform.BYTE_ARRAY_OFFSET + b.position());
    }
  }

  private static int sized(byte[] part) {
    return part == null ? 0 : 4 + part.length;
  }

  private static void put(ByteBuffer b, byte[] part) {
    if (part != null) {
      b.putInt(part.length).put(part);
    }
  }

  /** A record that was encoded as a payload of its own. */
  static StreamRecord decode(byte[] payload, RowCodec keys, RowCodec values) {
    return decode(payload, LABEL, payload.length - LABEL, keys, values, null);
  }

  /**
   * A record without its label.
   *
   * @param partials the codec of partial states; null if the edge has none
   */
  static StreamRecord decode(byte[] bytes, int at, int length, RowCodec keys, RowCodec values, RowCodec partials) {
    ByteBuffer b = ByteBuffer.wrap(bytes, at + 2, length - 2);
    long timestamp = b.getLong();
    int flags = b.get();
    byte[] order = new byte[b.getShort() & 0xFFFF];
    b.get(order);
    long number = (flags & NUMBER) == 0 ? StreamRecord.UNNUMBERED : b.getLong();
    byte[] key = (flags & KEY) == 0 ? null : part(b);
    RawHeader[] headers = (flags & HEADERS) == 0 ? null : headers(part(b));
    byte[] old = (flags & OLD) == 0 ? null : part(b);
    boolean partial = (flags & PARTIAL) != 0;
    RowCodec codec = partial ? partials : values;
    Object value = (flags & VALUE) == 0 ? null : codec.decode(bytes, b.position(), b.remaining());
    StreamRecord out = new StreamRecord(
        order, timestamp, key == null ? null : keys.decode(key), value, old == null ? null : values.decode(old), headers);
    out.keyBytes = key;
    out.partial = partial;
    out.outdated = (flags & OUTDATED) != 0;
    out.copiesOnly = (flags & COPIES_ONLY) != 0;
    out.number = number;
    return out;
  }

  private static byte[] part(ByteBuffer b) {
    return bytes(b, b.getInt());
  }

  private static byte[] bytes(ByteBuffer b, int length) {
    byte[] out = new byte[length];
    b.get(out);
    return out;
  }

  /** Headers as bytes, for a store; null if there are none. */
  public static byte[] encodeHeaders(RawHeader[] headers) {
    return headers == null || headers.length == 0 ? null : headers(headers);
  }

  /** Headers out of a store. */
  public static RawHeader[] decodeHeaders(byte[] bytes) {
    return bytes == null ? null : headers(bytes);
  }

  /** Headers as bytes: name and value with their lengths (4 each); that of a mark's name is inverted, that of no value is -1. */
  public static byte[] headers(RawHeader[] headers) {
    int size = 0;
    byte[][] names = new byte[headers.length][];
    for (int i = 0; i < headers.length; i++) {
      names[i] = headers[i].name().getBytes(StandardCharsets.UTF_8);
      size += 8 + names[i].length + (headers[i].value() == null ? 0 : headers[i].value().length);
    }
    ByteBuffer b = ByteBuffer.allocate(size);
    for (int i = 0; i < headers.length; i++) {
      b.putInt(headers[i].mark() ? ~names[i].length : names[i].length).put(names[i]);
      byte[] value = headers[i].value();
      b.putInt(value == null ? -1 : value.length);
      if (value != null) {
        b.put(value);
      }
    }
    return b.array();
  }

  /** Headers out of their bytes. */
  public static RawHeader[] headers(byte[] bytes) {
    ByteBuffer b = ByteBuffer.wrap(bytes);
    java.util.List<RawHeader> out = new java.util.ArrayList<>();
    while (b.hasRemaining()) {
      int named = b.getInt();
      String name = new String(bytes(b, named < 0 ? ~named : named), StandardCharsets.UTF_8);
      int length = b.getInt();
      out.add(new RawHeader(name, length < 0 ? null : bytes(b, length), named < 0));
    }
    return out.toArray(new RawHeader[0]);
  }
}
