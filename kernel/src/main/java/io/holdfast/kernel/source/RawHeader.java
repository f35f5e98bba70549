package io.holdfast.kernel.source;

import java.nio.charset.StandardCharsets;

/** A header of a record as it came; its value may be null. */
public record RawHeader(String name, byte[] value) {
  public static RawHeader ofText(String name, String value) {
    return new RawHeader(name, value.getBytes(StandardCharsets.UTF_8));
  }
}
