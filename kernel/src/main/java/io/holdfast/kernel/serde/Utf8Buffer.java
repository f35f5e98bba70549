package io.holdfast.kernel.serde;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** A growing buffer of UTF-8 bytes, used again for each document. */
final class Utf8Buffer {
  private static final int KEPT = 1 << 20;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[256];
  private int size;

  void clear() {
    size = 0;
    if (bytes.length > KEPT) {
      bytes = new byte[256];
    }
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  void put(char ascii) {
    room(1);
    bytes[size++] = (byte) ascii;
  }

  void put(byte[] more) {
    put(more, 0, more.length);
  }

  void put(byte[] more, int start, int length) {
    room(length);
    System.arraycopy(more, start, bytes, size, length);
    size += length;
  }

  @SuppressWarnings("deprecation")
  void ascii(String text) {
    room(text.length());
    text.getBytes(0, text.length(), bytes, size);
    size += text.length();
  }

  /** The number in decimal. */
  void number(long value) {
    if (value == Long.MIN_VALUE) {
      ascii("-9223372036854775808");
      return;
    }
    if (value < 0) {
      put('-');
    }
    long rest = Math.abs(value);
    int width = 1;
    for (long limit = 10; width < 19 && rest >= limit; limit *= 10) {
      width++;
    }
    digits(rest, width);
  }

  /** The number in exactly that many digits. */
  void digits(long value, int width) {
    room(width);
    long rest = value;
    for (int i = size + width - 1; i >= size; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    size += width;
  }

  /** The text as it is. */
  void text(UTF8String text) {
    int length = text.numBytes();
    room(length);
    Platform.copyMemory(text.getBaseObject(), text.getBaseOffset(), bytes, Platform.BYTE_ARRAY_OFFSET + size, length);
    size += length;
  }

  /** The text as a JSON string. */
  void quoted(UTF8String text) {
    put('"');
    int length = text.numBytes();
    room(length);
    int start = size;
    text(text);
    int seen = 0;
    for (int i = start; i < size; i++) {
      byte b = bytes[i];
      seen |= b;
      if (b >= 0 && b < ' ' || b == '"' || b == '\\') {
        size = start;
        escaped(text);
        return;
      }
    }
    if (seen < 0 && !text.isValid()) {
      size = start;
      text(text.makeValid());
    }
    put('"');
  }

  private void escaped(UTF8String text) {
    UTF8String valid = text.makeValid();
    for (int i = 0; i < valid.numBytes(); i++) {
      escaped(valid.getByte(i));
    }
    put('"');
  }

  private void escaped(byte b) {
    switch (b) {
      case '"' -> ascii("\\\"");
      case '\\' -> ascii("\\\\");
      case '\n' -> ascii("\\n");
      case '\r' -> ascii("\\r");
      case '\t' -> ascii("\\t");
      default -> {
        if (b >= 0 && b < ' ') {
          ascii("\\u00");
          put((char) HEX[b >> 4]);
          put((char) HEX[b & 15]);
        } else {
          put((char) b);
        }
      }
    }
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      int doubled = (int) Math.min(bytes.length * 2L, Integer.MAX_VALUE - 16);
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), doubled));
    }
  }
}
