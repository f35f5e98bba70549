package io.holdfast.kernel.records;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.AbstractRecords;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.SimpleRecord;

/** Whether Kafka would refuse a record: checked before it is sent, because a refused record fails its whole transaction. */
public final class DeliveryCheck {
  /** How far the clocks of brokers may be behind ours. */
  private static final long SKEW = 5_000;
  /** What a batch adds to its only record, at most. */
  public static final int AROUND = 128;
  /** Compression adds at most one byte to 2^11 that cannot be compressed: gzip adds most, five to each block of 16 KB. */
  private static final int EXPANSION = 11;
  /** And at most this many bytes to a batch. */
  private static final int FRAME = 32;
  private static final Header[] NONE = {};

  private DeliveryCheck() {}

  /** Why Kafka would refuse the row; null if it takes it. */
  public static String refusal(OutputRow row, TopicLimits.Limit limit) {
    if (!limit.exists()) {
      return "the topic '" + row.topic + "' does not exist; create it (holdfast topics create " + row.topic + "), and replay the record";
    }
    if (limit.keyed() && row.key == null) {
      return "the record has no key, and the topic '" + row.topic + "' is compacted, so that every record needs one; give it a key (select_key),"
          + " or write it to a topic that is not compacted";
    }
    if (!fits(row, limit)) {
      return "the record takes " + size(row) + " bytes, and the topic '" + row.topic + "' takes " + limit.bytes()
          + " at most (its max.message.bytes); write less, or raise that limit and replay the record";
    }
    return timeRefusal(row.topic, row.timestamp, limit);
  }

  /** Why the topic would refuse the time of a record; null if it takes it. */
  public static String timeRefusal(String topic, long timestamp, TopicLimits.Limit limit) {
    if (limit.ahead() == Long.MAX_VALUE && limit.behind() == Long.MAX_VALUE) {
      return null;
    }
    long now = System.currentTimeMillis();
    if (timestamp > now && timestamp - now > limit.ahead() - SKEW) {
      return "the record's time is " + (timestamp - now) + " ms ahead of the clock, and the topic '" + topic + "' takes "
          + limit.ahead() + " at most (its message.timestamp.after.max.ms); raise that limit and replay the record, or write it with another time";
    }
    if (timestamp >= 0 && now > timestamp && now - timestamp > limit.behind() - SKEW) {
      return "the record's time is " + (now - timestamp) + " ms behind the clock, and the topic '" + topic + "' takes "
          + limit.behind() + " at most (its message.timestamp.before.max.ms); raise that limit and replay the record";
    }
    return null;
  }

  /** The first and the last time that the topic takes now, or nearly so: beyond them {@link #timeRefusal} has to be asked. */
  public static long[] times(TopicLimits.Limit limit) {
    long now = System.currentTimeMillis();
    return new long[] {
      limit.behind() == Long.MAX_VALUE ? Long.MIN_VALUE : now - (limit.behind() - SKEW) + SKEW,
      limit.ahead() == Long.MAX_VALUE ? Long.MAX_VALUE : now + (limit.ahead() - SKEW),
    };
  }

  /** Whether the row is small enough for the topic. */
  public static boolean fits(OutputRow row, TopicLimits.Limit limit) {
    return atMost(row) <= most(limit) || exceedsNot(row, limit);
  }

  /** The size before compression up to which every record fits: compression enlarges what it cannot compress. */
  public static long most(TopicLimits.Limit limit) {
    return Math.min(limit.bytes() - (limit.bytes() >> EXPANSION) - FRAME, limit.request());
  }

  /** More than the row can take, without a look at its headers' names. */
  private static long atMost(OutputRow row) {
    long bytes = AROUND + (row.key == null ? 0 : row.key.length) + (row.value == null ? 0 : row.value.length);
    for (int i = 0; row.headers != null && i < row.headers.length; i++) {
      RawHeader header = row.headers[i];
      // A character takes three bytes of UTF-8 at most; two lengths take five each.
      bytes += 3L * header.name().length() + (header.value() == null ? 0 : header.value().length) + 10;
    }
    return bytes;
  }

  private static boolean exceedsNot(OutputRow row, TopicLimits.Limit limit) {
    int plain = size(row);
    return plain <= limit.request() && (plain <= most(limit) || limit.compressed() && compressedSize(row) <= limit.bytes());
  }

  private static int size(OutputRow row) {
    return AbstractRecords.estimateSizeInBytesUpperBound(
        RecordBatch.CURRENT_MAGIC_VALUE, CompressionType.NONE, row.key, row.value, headers(row));
  }

  private static int compressedSize(OutputRow row) {
    SimpleRecord record = new SimpleRecord(Math.max(0, row.timestamp), row.key, row.value, headers(row));
    return MemoryRecords.withRecords(Compression.lz4().build(), record).sizeInBytes() + AROUND;
  }

  private static Header[] headers(OutputRow row) {
    if (row.headers == null) {
      return NONE;
    }
    Header[] out = new Header[row.headers.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = new RecordHeader(row.headers[i].name(), row.headers[i].value());
    }
    return out;
  }
}
