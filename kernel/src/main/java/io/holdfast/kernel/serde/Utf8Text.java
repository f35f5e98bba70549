package io.holdfast.kernel.serde;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** UTF-8 text: checks bytes, and makes bytes from characters, refusing the halves of surrogate pairs. */
final class Utf8Text {
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8Text() {}

  /** Refuses bytes that are not UTF-8: the parser lets overlong forms and encoded surrogates pass. */
  static void check(byte[] bytes) throws BadRecord {
    if (!isAscii(bytes) && !UTF8String.fromBytes(bytes).isValid()) {
      ByteBuffer read = ByteBuffer.wrap(bytes);
      StandardCharsets.UTF_8.newDecoder().decode(read, CharBuffer.allocate(bytes.length), true);
      throw BadRecord.malformed("malformed JSON at byte " + read.position() + ": not UTF-8");
    }
  }

  private static boolean isAscii(byte[] bytes) {
    int i = 0;
    for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
      if ((Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET + i) & HIGH_BITS) != 0) {
        return false;
      }
    }
    for (; i < bytes.length; i++) {
      if (bytes[i] < 0) {
        return false;
      }
    }
    return true;
  }

  static UTF8String of(String text) throws BadRecord {
    char[] chars = text.toCharArray();
    return of(chars, 0, chars.length);
  }

  static UTF8String of(char[] chars, int start, int length) throws BadRecord {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      char c = chars[start + i];
      if (c >= 0x80) {
        return beyondAscii(chars, start, length, bytes, i);
      }
      bytes[i] = (byte) c;
    }
    return UTF8String.fromBytes(bytes);
  }

  private static UTF8String beyondAscii(char[] chars, int start, int length, byte[] ascii, int from) throws BadRecord {
    byte[] bytes = Arrays.copyOf(ascii, from + (length - from) * 3);
    int at = from;
    for (int i = start + from; i < start + length; i++) {
      int c = chars[i];
      if (Character.isSurrogate((char) c)) {
        if (i + 1 == start + length || !Character.isSurrogatePair((char) c, chars[i + 1])) {
          throw BadRecord.value("wanted text, got half of a surrogate pair (\\u" + Integer.toHexString(c) + ")");
        }
        c = Character.toCodePoint((char) c, chars[++i]);
      }
      at = put(bytes, at, c);
    }
    return UTF8String.fromBytes(Arrays.copyOf(bytes, at));
  }

  private static int put(byte[] bytes, int at, int c) {
    if (c < 0x80) {
      bytes[at++] = (byte) c;
    } else if (c < 0x800) {
      bytes[at++] = (byte) (0xC0 | c >> 6);
      bytes[at++] = (byte) (0x80 | c & 0x3F);
    } else if (c < 0x10000) {
      bytes[at++] = (byte) (0xE0 | c >> 12);
      bytes[at++] = (byte) (0x80 | c >> 6 & 0x3F);
      bytes[at++] = (byte) (0x80 | c & 0x3F);
    } else {
      bytes[at++] = (byte) (0xF0 | c >> 18);
      bytes[at++] = (byte) (0x80 | c >> 12 & 0x3F);
      bytes[at++] = (byte) (0x80 | c >> 6 & 0x3F);
      bytes[at++] = (byte) (0x80 | c & 0x3F);
    }
    return at;
  }
}
