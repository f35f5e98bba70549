package io.holdfast.kernel.sink;

import io.holdfast.kernel.Checks;
import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import java.util.Map;

/** What is counted of the rows of a sink partition. */
public final class PartitionCommitTest {
  private static final Checks CHECK = new Checks();

  private PartitionCommitTest() {}

  public static void main(String[] args) {
    PartitionCommit commit = new PartitionCommit("shop");
    commit.note(letter("shop-dead-letters", "no price: 7"));
    commit.note(letter("shop-dead-letters", "no price: 8"));
    CHECK.equal("reasons of the app's own letters, without what varies", Map.of("no price: N", 2L), commit.reasons);
    commit.note(letter("bank-dead-letters", "no account"));
    commit.note(letter("bank-shop-dead-letters", "no account"));
    CHECK.equal("a record for another app's letters is output", Map.of("no price: N", 2L), commit.reasons);
    CHECK.equal("and counted as such", 1L, commit.written.get("bank-dead-letters").records);
    CHECK.end();
  }

  private static OutputRow letter(String topic, String reason) {
    return new OutputRow(topic, OutputRow.ANY, 0, null, new byte[0], new RawHeader[] {RawHeader.ofText(HeaderNames.REASON, reason)}, false);
  }
}
