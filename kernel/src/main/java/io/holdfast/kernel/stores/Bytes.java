package io.holdfast.kernel.stores;

import java.util.Arrays;

/** Bytes as a key of a hash map. */
public final class Bytes {
  private final byte[] bytes;
  private final int hash;

  public Bytes(byte[] bytes) {
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
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
