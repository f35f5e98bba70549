package io.holdfast.kernel.records;

import io.holdfast.kernel.Checks;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;

/** What is said to fit into a topic does, as our producers write it. */
public final class DeliveryCheckTest {
  private static final Checks CHECK = new Checks();
  private static final long ANY = Long.MAX_VALUE;
  private static final byte[] KEY = {1};

  private DeliveryCheckTest() {}

  public static void main(String[] args) {
    whatCannotBeCompressed(1_000);
    whatCannotBeCompressed(1_048_588);
    whatCannotBeCompressed(16 << 20);
    recordsWithoutKeys();
    CHECK.end();
  }

  /** Compression makes it larger: by a few bytes for each of its blocks. */
  private static void whatCannotBeCompressed(int bytes) {
    byte[] noise = new byte[bytes];
    new Random(bytes).nextBytes(noise);
    int taken = 0;
    int tooLarge = 0;
    int around = 300 + (bytes >> 10);
    for (int size = bytes - around; size <= bytes; size += around / 30) {
      byte[] value = Arrays.copyOf(noise, size);
      OutputRow row = new OutputRow("t", OutputRow.ANY, 1, KEY, value, null, false);
      if (DeliveryCheck.fits(row, limit(bytes, false))) {
        taken++;
        int sent = MemoryRecords.withRecords(Compression.lz4().build(), new SimpleRecord(1, KEY, value)).sizeInBytes();
        tooLarge += sent > bytes ? 1 : 0;
      }
    }
    CHECK.equal("some fit into " + bytes, true, taken > 0);
    CHECK.equal("sent to a topic of " + bytes + " that does not take them", 0, tooLarge);
  }

  private static void recordsWithoutKeys() {
    OutputRow row = new OutputRow("t", OutputRow.ANY, 1, null, KEY, null, false);
    CHECK.equal("in a topic that is not compacted", null, DeliveryCheck.refusal(row, limit(1_000, false)));
    CHECK.equal("in a compacted topic", true, DeliveryCheck.refusal(row, limit(1_000, true)).startsWith("the record has no key, and the topic 't' is compacted"));
  }

  private static TopicLimits.Limit limit(int bytes, boolean keyed) {
    return new TopicLimits.Limit(true, bytes, 32 << 20, true, keyed, ANY, ANY);
  }
}
