package io.holdfast.kernel.rows;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Many records as one payload, so that Spark carries one row instead of many.
 *
 * <p>A payload begins with the label of its task (2) and two bytes for its kind. A block has its own mark there; then come its records in order,
 * each with its length (4) and without the label.
 */
public final class Block {
  private static final short MARK = (short) 0xFFFD;
  private static final int LABEL = 2;
  private static final int HEAD = 4;
  private static final int FIRST_SIZE = 1 << 10;
  private static final int KEPT_SIZE = 1 << 17;
  byte[] bytes = new byte[FIRST_SIZE];
  private int size = HEAD;

  /** Takes records as parts of a byte array. */
  @FunctionalInterface
  public interface Reader {
    /** A record from {@code at} on, without its label. */
    void take(byte[] bytes, int at, int length);
  }

  /** Passes the records of a payload, which is a block or one record, to a reader. */
  public static void read(byte[] payload, Reader reader) {
    read(payload, 0, payload.length, reader);
  }

  /** The same for a payload that is a part of a byte array. */
  public static void read(byte[] bytes, int begin, int size, Reader reader) {
    if (bytes[begin + 2] != (byte) (MARK >> 8) || bytes[begin + 3] != (byte) MARK) {
      reader.take(bytes, begin + LABEL, size - LABEL);
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    for (int at = begin + HEAD; at < begin + size;) {
      int length = in.getInt(at);
      reader.take(bytes, at + Integer.BYTES, length);
      at += Integer.BYTES + length;
    }
  }

  /** The label of a payload. */
  public static short label(byte[] payload) {
    return (short) (payload[0] << 8 | payload[1] & 0xFF);
  }

  static byte[] single(short label, int length) {
    byte[] out = new byte[LABEL + length];
    label(out, label);
    return out;
  }

  private static void label(byte[] payload, short label) {
    payload[0] = (byte) (label >> 8);
    payload[1] = (byte) label;
  }

  boolean isEmpty() {
    return size == HEAD;
  }

  /** The bytes of its records. */
  int size() {
    return size - HEAD;
  }

  /** Its size with another record. */
  int sizeWith(int length) {
    return size + Integer.BYTES + length;
  }

  /** Makes room for a record and returns its position. */
  int room(int length) {
    int at = size + Integer.BYTES;
    if (at + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(at + length, 2 * bytes.length));
    }
    ByteBuffer.wrap(bytes).putInt(size, length);
    size = at + length;
    return at;
  }

  /** Returns the payload and empties the block. */
  byte[] take(short label) {
    byte[] out = Arrays.copyOf(bytes, size);
    label(out, label);
    out[2] = (byte) (MARK >> 8);
    out[3] = (byte) MARK;
    size = HEAD;
    bytes = bytes.length > KEPT_SIZE ? new byte[FIRST_SIZE] : bytes;
    return out;
  }
}
