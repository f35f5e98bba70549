package io.holdfast.kernel.records;

import io.holdfast.kernel.Checks;
import java.util.Arrays;
import java.util.Random;

/** An output row survives its payload. */
public final class OutputRowTest {
  private OutputRowTest() {}

  public static void main(String[] args) {
    Checks check = new Checks();
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      short label = (short) random.nextInt();
      OutputRow row = new OutputRow("tópic-" + i % 3, random.nextInt(5) - 1, random.nextLong(), bytes(random), bytes(random),
          random.nextBoolean() ? null : headers(random), random.nextBoolean());
      row = random.nextInt(4) == 0 ? row.inPartitionOf(new byte[] {(byte) i}) : row;
      byte[] payload = row.encode(label);
      check.equal("label", (int) label, (int) (short) ((payload[0] & 0xFF) << 8 | payload[1] & 0xFF));
      check.equal("mark", true, OutputRow.is(payload, 2));
      check.equal("row", show(row), show(OutputRow.decode(payload, 2, payload.length - 2)));
    }
    RawHeader[] many = new RawHeader[70_000];
    Arrays.setAll(many, i -> new RawHeader("h", new byte[0]));
    byte[] payload = new OutputRow("topic", 0, 0, null, null, many, false).encode((short) 1);
    check.equal("more headers than two bytes can count", many.length, OutputRow.decode(payload, 2, payload.length - 2).headers.length);
    check.end();
  }

  private static byte[] bytes(Random random) {
    if (random.nextInt(4) == 0) {
      return null;
    }
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static RawHeader[] headers(Random random) {
    RawHeader[] headers = new RawHeader[1 + random.nextInt(3)];
    Arrays.setAll(headers, i -> new RawHeader("h" + random.nextInt(3), bytes(random)));
    return headers;
  }

  private static String show(OutputRow row) {
    StringBuilder shown = new StringBuilder(row.topic + " " + row.partition + " " + row.byHash + " " + row.timestamp + " " + row.changelog
        + " " + Arrays.toString(row.key) + " " + Arrays.toString(row.value));
    if (row.headers != null) {
      for (RawHeader header : row.headers) {
        shown.append(' ').append(header.name()).append('=').append(Arrays.toString(header.value()));
      }
    }
    return shown.toString();
  }
}
