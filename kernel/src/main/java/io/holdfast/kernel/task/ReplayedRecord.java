package io.holdfast.kernel.task;

import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.serde.BadRecord;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A record of the app's replay topic: a dead letter that is processed again.
 *
 * @param node the node that had refused it
 * @param port the input by which it had come there
 * @param path its emission path from the source record to that node
 * @param refusedAt when it was refused, by the wall clock
 * @param record key and value for that node, the rest as it was at the source; its headers say that it was replayed
 */
public record ReplayedRecord(String node, int port, byte[] path, long refusedAt, RawRecord record) {
  private static final int LONGEST_PATH = 10_000;

  /**
   * Reads a record of the replay topic.
   *
   * @throws BadRecord if it is not one that `holdfast dlq replay` writes
   */
  public static ReplayedRecord of(RawRecord raw) throws BadRecord {
    ReplayFacts facts = ReplayFacts.of(raw.headers());
    byte[] value = facts.has(HeaderNames.NULL) ? null : raw.value();
    RawRecord record = new RawRecord(facts.text(HeaderNames.TOPIC), (int) facts.number(HeaderNames.PARTITION, Integer.MIN_VALUE, Integer.MAX_VALUE),
        facts.number(HeaderNames.OFFSET, Long.MIN_VALUE, Long.MAX_VALUE), raw.timestamp(), facts.bytes(HeaderNames.KEY), value, own(raw, facts));
    int port = facts.has(HeaderNames.PORT) ? (int) facts.number(HeaderNames.PORT, 0, Integer.MAX_VALUE) : 0;
    return new ReplayedRecord(facts.text(HeaderNames.NODE), port, path(facts), facts.number(HeaderNames.TIME, Long.MIN_VALUE, Long.MAX_VALUE), record);
  }

  private static byte[] path(ReplayFacts facts) throws BadRecord {
    if (!facts.has(HeaderNames.PATH)) {
      return new byte[1];
    }
    String hex = facts.text(HeaderNames.PATH);
    try {
      byte[] path = HexFormat.of().parseHex(hex);
      if (path.length > 0 && path.length <= LONGEST_PATH) {
        return path;
      }
    } catch (IllegalArgumentException notHex) {
      // Refused below.
    }
    throw BadRecord.malformed("its header hf-path is not the path of a record");
  }

  /** Its own headers, and the mark. */
  private static RawHeader[] own(RawRecord raw, ReplayFacts facts) throws BadRecord {
    facts.number(ReplayMark.NAME, 1, Integer.MAX_VALUE);
    RawHeader[] out = Arrays.copyOf(raw.headers(), facts.first() + 1);
    out[facts.first()] = ReplayMark.of(facts.bytes(ReplayMark.NAME));
    return out;
  }
}
