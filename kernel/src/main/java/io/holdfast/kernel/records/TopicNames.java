package io.holdfast.kernel.records;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The names of topics out of their bytes: there are few, and each is decoded once. */
public final class TopicNames {
  private static final int KEPT = 16;
  private final byte[][] bytes = new byte[KEPT][];
  private final String[] names = new String[KEPT];
  private int next;

  /** The name that lies there. */
  String at(byte[] from, int at, int length) {
    for (int i = 0; i < KEPT && bytes[i] != null; i++) {
      if (Arrays.equals(bytes[i], 0, bytes[i].length, from, at, at + length)) {
        return names[i];
      }
    }
    return cache(Arrays.copyOfRange(from, at, at + length));
  }

  private String cache(byte[] name) {
    int i = next++ % KEPT;
    bytes[i] = name;
    names[i] = new String(name, StandardCharsets.UTF_8);
    return names[i];
  }
}
