package io.holdfast.kernel.records;

import java.nio.charset.StandardCharsets;

/**
 * A header of a record as it came; its value may be null.
 *
 * @param mark whether it is the mark of a replayed record, and no header of the record's own
 */
public record RawHeader(String name, byte[] value, boolean mark) {
  public RawHeader(String name, byte[] value) {
    this(name, value, false);
  }

  public static RawHeader ofText(String name, String value) {
    return new RawHeader(name, value.getBytes(StandardCharsets.UTF_8));
  }
}
