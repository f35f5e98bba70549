package io.holdfast.kernel.stores;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/** Bytes as a key of a hash map. Rows of numbers differ in a few bytes, for which Arrays.hashCode would often be the same. */
public final class Bytes {
  private static final int SEED = 42;
  private final byte[] bytes;
  private final int hash;

  public Bytes(byte[] bytes) {
    this.bytes = bytes;
    this.hash = hash(bytes);
  }

  static int hash(byte[] bytes) {
    return Murmur3_x86_32.hashUnsafeBytes2(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, SEED);
  }

  public byte[] bytes() {
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes b && hash == b.hash && Arrays.equals(bytes, b.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
