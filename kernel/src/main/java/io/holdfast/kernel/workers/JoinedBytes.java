package io.holdfast.kernel.workers;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Several byte arrays as one, each with its length before it. */
public final class JoinedBytes {
  private JoinedBytes() {}

  public static byte[] join(List<byte[]> parts) {
    ByteBuffer out = ByteBuffer.allocate(parts.stream().mapToInt(part -> 4 + part.length).sum());
    parts.forEach(part -> out.putInt(part.length).put(part));
    return out.array();
  }

  public static List<byte[]> split(byte[] joined) {
    ByteBuffer in = ByteBuffer.wrap(joined);
    List<byte[]> out = new ArrayList<>();
    while (in.hasRemaining()) {
      byte[] part = new byte[in.getInt()];
      in.get(part);
      out.add(part);
    }
    return out;
  }
}
