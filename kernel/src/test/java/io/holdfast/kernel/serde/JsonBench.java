package io.holdfast.kernel.serde;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.DataType;

/** Documents per second of the JSON serde on one core. */
public final class JsonBench {
  private static final int ROUNDS = 8;
  private static final int DOCUMENTS = 2_000_000;

  private JsonBench() {}

  public static void main(String[] args) throws BadRecord {
    run("scores", "score bigint not null, product_id bigint not null, player_id bigint not null",
      "{\"score\":%d,\"product_id\":6,\"player_id\":1}");
    run("mixed", "id bigint, name string, at timestamp, price double, tags array<string>",
      "{\"id\":%d,\"name\":\"Elyse Beverley\",\"at\":\"2026-01-01T00:00:00Z\",\"price\":12.5,\"tags\":[\"a\",\"bc\"]}");
  }

  private static void run(String name, String ddl, String form) throws BadRecord {
    Serde serde = Serdes.json(DataType.fromDDL(ddl));
    byte[][] documents = new byte[1024][];
    for (int i = 0; i < documents.length; i++) {
      documents[i] = String.format(form, i * 37).getBytes(StandardCharsets.UTF_8);
    }
    long used = 0;
    double decode = 0;
    double encode = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      Object[] values = new Object[documents.length];
      for (int i = 0; i < DOCUMENTS; i++) {
        values[i & 1023] = serde.decode(documents[i & 1023]);
      }
      decode = DOCUMENTS * 1e9 / (System.nanoTime() - start);
      start = System.nanoTime();
      for (int i = 0; i < DOCUMENTS; i++) {
        used += serde.encode(values[i & 1023]).length;
      }
      encode = DOCUMENTS * 1e9 / (System.nanoTime() - start);
    }
    System.out.printf("%s: decode %,.0f/s, encode %,.0f/s (%d)%n", name, decode, encode, used);
  }
}
