package io.holdfast.kernel.task;

import io.holdfast.kernel.Checks;

/** A copy of a record with another position or time has all flags: outdated, for copies only, partial, numbered. */
public final class StreamRecordTest {
  private StreamRecordTest() {}

  public static void main(String[] args) {
    Checks check = new Checks();
    StreamRecord record = new StreamRecord(new byte[] {1}, 1000, "k", "v", "before", null);
    for (StreamRecord made : new StreamRecord[] {record.outdated().numbered(7).forCopiesOnly(), record.partial("state").numbered(8)}) {
      same(check, "at another place", made, made.at(new byte[] {2}));
      same(check, "with another time", made, made.withTime(2000));
    }
    check.equal("the new time", 2000L, record.withTime(2000).timestamp);
    check.equal("the same time", record, record.withTime(1000));
    check.end();
  }

  private static void same(Checks check, String what, StreamRecord wanted, StreamRecord found) {
    check.equal(what + ": outdated", wanted.isOutdated(), found.isOutdated());
    check.equal(what + ": for copies only", wanted.isForCopiesOnly(), found.isForCopiesOnly());
    check.equal(what + ": partial", wanted.isPartial(), found.isPartial());
    check.equal(what + ": number", wanted.number(), found.number());
    check.equal(what + ": value", wanted.value, found.value);
  }
}
