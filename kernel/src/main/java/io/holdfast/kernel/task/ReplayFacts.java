package io.holdfast.kernel.task;

import io.holdfast.kernel.records.DeadLetterHeaders;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.serde.BadRecord;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The facts of a replayed record, which are headers behind its own. */
final class ReplayFacts {
  private final int first;
  private final Map<String, byte[]> facts = new HashMap<>();

  private ReplayFacts(RawHeader[] headers, int first) {
    this.first = first;
    for (int i = first; i < headers.length; i++) {
      facts.put(headers[i].name(), headers[i].value());
    }
  }

  static ReplayFacts of(RawHeader[] headers) throws BadRecord {
    int at = headers == null ? -1 : headers.length - 1;
    while (at >= 0 && !headers[at].name().equals(DeadLetterHeaders.FIRST)) {
      at--;
    }
    if (at < 0) {
      throw BadRecord.malformed("it has no header " + DeadLetterHeaders.FIRST);
    }
    return new ReplayFacts(headers, at);
  }

  /** How many headers are the record's own. */
  int first() {
    return first;
  }

  boolean has(String name) {
    return facts.containsKey(name);
  }

  byte[] bytes(String name) {
    return facts.get(name);
  }

  String text(String name) throws BadRecord {
    byte[] found = bytes(name);
    if (found == null) {
      throw BadRecord.malformed("it has no header " + name);
    }
    return new String(found, StandardCharsets.UTF_8);
  }

  long number(String name, long least, long most) throws BadRecord {
    try {
      long found = Long.parseLong(text(name));
      if (found >= least && found <= most) {
        return found;
      }
    } catch (NumberFormatException notOne) {
      // Refused below.
    }
    throw BadRecord.malformed("its header " + name + " is not a number that could be there");
  }
}
