package io.holdfast.kernel.task;

import io.holdfast.kernel.source.RawHeader;
import io.holdfast.kernel.source.RawRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A record that comes back after it had been refused, as it lies in the app's replay topic.
 *
 * @param node that had refused it
 * @param port by which input it had come there
 * @param path what had become of the source record on its way there
 * @param refusedAt when, by the wall clock
 * @param record key and value for that node, the rest as it was at the source; its headers say that it was replayed
 */
public record Replayed(String node, int port, byte[] path, long refusedAt, RawRecord record) {
  private static final String FIRST = "hf-topic";

  /** Reads a record of the replay topic. */
  public static Replayed of(RawRecord raw) {
    Said said = new Said(raw.headers());
    RawRecord record = new RawRecord(said.text(FIRST, ""), (int) said.number("hf-partition"), said.number("hf-offset"),
        raw.timestamp(), said.bytes("hf-key"), said.text("hf-null", null) == null ? raw.value() : null, said.own());
    return new Replayed(said.text("hf-node", ""), (int) said.number("hf-port"), HexFormat.of().parseHex(said.text("hf-path", "00")),
        said.number("hf-time"), record);
  }

  /** The headers of a replayed record: first its own, then what we say of it. */
  private record Said(RawHeader[] headers) {
    byte[] bytes(String name) {
      for (int i = headers == null ? -1 : headers.length - 1; i >= 0; i--) {
        if (headers[i].name().equals(name)) {
          return headers[i].value();
        }
      }
      return null;
    }

    String text(String name, String otherwise) {
      byte[] found = bytes(name);
      return found == null ? otherwise : new String(found, StandardCharsets.UTF_8);
    }

    long number(String name) {
      return Long.parseLong(text(name, "0"));
    }

    /** Those before the first of ours, and the mark. */
    RawHeader[] own() {
      List<RawHeader> out = new ArrayList<>(List.of(headers).subList(0, Math.max(0, first())));
      out.add(RawHeader.ofText(ReplayMark.NAME, text(ReplayMark.NAME, "1")));
      return out.toArray(new RawHeader[0]);
    }

    private int first() {
      int at = headers.length - 1;
      while (at >= 0 && !headers[at].name().equals(FIRST)) {
        at--;
      }
      return at;
    }
  }
}
