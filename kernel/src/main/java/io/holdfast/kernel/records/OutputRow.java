package io.holdfast.kernel.records;

import io.holdfast.kernel.rows.BlockPacker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BinaryOperator;
import org.apache.kafka.common.utils.Utils;

/** An output record for Kafka, before the sink writes it; its bytes begin with the mark of an output. */
public final class OutputRow {
  /** The first bytes of every output, behind the label. */
  public static final short MARK = (short) 0xFFFF;
  /** No partition chosen: the key decides. */
  public static final int ANY = -1;

  /** The kind of a counter that is no number of records but the time of the next wall-clock timer of a task. */
  public static final String WAKE = "wake";

  private static final int CHANGELOG = 1;
  private static final int KEY = 2;
  private static final int VALUE = 4;
  private static final int HEADERS = 8;
  private static final int RECALL = 16;
  private static final int BY_HASH = 32;
  /** No topic's name begins with it. */
  private static final String COUNTER = "#";
  private static final int FIXED = 2 + 1 + 4 + 8;

  public final String topic;
  /** Which partition, or ANY, or a hash that chooses one as that of a key does. */
  public final int partition;
  public final boolean byHash;
  public final long timestamp;
  public final byte[] key;
  public final byte[] value;
  public final RawHeader[] headers;
  public final boolean changelog;
  /** Whether key, value and headers are to be those of the source record that the hf- headers name. */
  public final boolean recall;

  /** ANY as partition leaves the choice to the key, a negative timestamp to the producer; headers may be null. */
  public OutputRow(
      String topic, int partition, long timestamp, byte[] key, byte[] value, RawHeader[] headers, boolean changelog) {
    this(topic, partition, false, timestamp, key, value, headers, changelog, false);
  }

  private OutputRow(
      String topic, int partition, boolean byHash, long timestamp, byte[] key, byte[] value, RawHeader[] headers, boolean changelog,
      boolean recall) {
    this.topic = topic;
    this.partition = partition;
    this.byHash = byHash;
    this.timestamp = timestamp;
    this.key = key;
    this.value = value;
    this.headers = headers;
    this.changelog = changelog;
    this.recall = recall;
  }

  /** The kind of a counter that is no number of records but how far the time of a stage has come. */
  public static final String TIME = "time";

  /** The kind of a counter that is no number of records but the latest time of the records that a source has read. */
  public static final String SOURCE_TIME = "source_time";

  /** How two counters of a kind become one. */
  public static BinaryOperator<Long> merger(String kind) {
    return kind.equals(TIME) || kind.equals(SOURCE_TIME) ? Math::max : Long::sum;
  }

  /** No record for a topic: so many records of a node were late, or skipped. */
  public static OutputRow counter(String kind, String node, long count) {
    byte[] name = node.getBytes(StandardCharsets.UTF_8);
    return new OutputRow(COUNTER + kind, ANY, 0, name, Long.toString(count).getBytes(StandardCharsets.US_ASCII), null, false);
  }

  /** The kind of thing that is counted, or null if this is a record for a topic. */
  public String counted() {
    return topic.startsWith(COUNTER) ? topic.substring(COUNTER.length()) : null;
  }

  /** The same row, to be filled with the source record's own bytes before it is written. */
  public OutputRow recalling() {
    return new OutputRow(topic, partition, byHash, timestamp, key, value, headers, changelog, true);
  }

  /** The same row with another key, value, headers and time. */
  public OutputRow with(byte[] newKey, byte[] newValue, RawHeader[] newHeaders, long newTimestamp) {
    return new OutputRow(topic, partition, byHash, newTimestamp, newKey, newValue, newHeaders, changelog, recall);
  }

  /** The same row in the partition of another key. */
  public OutputRow inPartitionOf(byte[] otherKey) {
    int hash = Utils.toPositive(Utils.murmur2(otherKey));
    return new OutputRow(topic, hash, true, timestamp, key, value, headers, changelog, recall);
  }

  /** The row with another record's key, value and headers, and its facts behind them. */
  public OutputRow recalled(byte[] originalKey, byte[] originalValue, List<RawHeader> originalHeaders) {
    return recalled(originalKey, originalValue, originalHeaders, DeadLetterHeaders.facts(headers));
  }

  /** The row as it is, marked as one whose original record is deleted. */
  public OutputRow unrecalled() {
    List<RawHeader> facts = DeadLetterHeaders.facts(headers);
    facts.add(RawHeader.ofText(HeaderNames.ORIGINAL, "gone"));
    return recalled(key, value, DeadLetterHeaders.own(headers), facts);
  }

  private OutputRow recalled(byte[] originalKey, byte[] originalValue, List<RawHeader> originalHeaders, List<RawHeader> said) {
    return new OutputRow(
        topic, partition, byHash, timestamp, originalKey, originalValue, DeadLetterHeaders.of(originalHeaders, said), changelog, false);
  }

  /** The text of the last header of that name, or null. */
  public String header(String name) {
    for (int i = headers == null ? -1 : headers.length - 1; i >= 0; i--) {
      if (headers[i].name().equals(name) && headers[i].value() != null) {
        return new String(headers[i].value(), StandardCharsets.UTF_8);
      }
    }
    return null;
  }

  /** Whether the record at that position, without its label, is an output. */
  public static boolean is(byte[] bytes, int at) {
    return bytes[at] == (byte) 0xFF && bytes[at + 1] == (byte) 0xFF;
  }

  /** Adds the row to those that travel under the label. */
  public void write(BlockPacker rows, short label) {
    byte[] name = topic.getBytes(StandardCharsets.UTF_8);
    byte[][] names = headerNames();
    int size = FIXED + size(name) + size(key) + size(value) + size(names);
    int at = rows.room(label, size);
    ByteBuffer out = ByteBuffer.wrap(rows.bytes(), at, size);
    out.putShort(MARK).put((byte) flags()).putInt(partition).putLong(timestamp);
    put(out, name);
    put(out, key);
    put(out, value);
    if (names != null) {
      out.putInt(names.length);
      for (int i = 0; i < names.length; i++) {
        put(out, names[i]);
        out.put((byte) (headers[i].value() == null ? 0 : 1));
        put(out, headers[i].value());
      }
    }
  }

  /** The row as a payload of its own. */
  public byte[] encode(short label) {
    BlockPacker single = new BlockPacker(BlockPacker.NONE);
    write(single, label);
    return single.bytes();
  }

  /** The row of a record without its label. */
  public static OutputRow decode(byte[] bytes, int at, int length) {
    return decode(bytes, at, length, new TopicNames());
  }

  /** The same; names of topics are shared with earlier rows. */
  public static OutputRow decode(byte[] bytes, int at, int length, TopicNames names) {
    ByteBuffer in = ByteBuffer.wrap(bytes, at + Short.BYTES, length - Short.BYTES);
    int flags = in.get();
    int partition = in.getInt();
    long timestamp = in.getLong();
    int named = in.getInt();
    String topic = names.at(bytes, in.position(), named);
    in.position(in.position() + named);
    byte[] key = (flags & KEY) == 0 ? null : take(in);
    byte[] value = (flags & VALUE) == 0 ? null : take(in);
    RawHeader[] headers = (flags & HEADERS) == 0 ? null : takeHeaders(in);
    return new OutputRow(topic, partition, (flags & BY_HASH) != 0, timestamp, key, value, headers, (flags & CHANGELOG) != 0,
        (flags & RECALL) != 0);
  }

  private int flags() {
    return (changelog ? CHANGELOG : 0) | (recall ? RECALL : 0) | (byHash ? BY_HASH : 0) | (key == null ? 0 : KEY) | (value == null ? 0 : VALUE)
      | (headers == null || headers.length == 0 ? 0 : HEADERS);
  }

  private byte[][] headerNames() {
    if (headers == null || headers.length == 0) {
      return null;
    }
    byte[][] names = new byte[headers.length][];
    for (int i = 0; i < names.length; i++) {
      names[i] = headers[i].name().getBytes(StandardCharsets.UTF_8);
    }
    return names;
  }

  private int size(byte[][] names) {
    int size = 0;
    if (names != null) {
      size = Integer.BYTES;
      for (int i = 0; i < names.length; i++) {
        size += size(names[i]) + 1 + size(headers[i].value());
      }
    }
    return size;
  }

  private static int size(byte[] bytes) {
    return bytes == null ? 0 : Integer.BYTES + bytes.length;
  }

  private static void put(ByteBuffer out, byte[] bytes) {
    if (bytes != null) {
      out.putInt(bytes.length).put(bytes);
    }
  }

  private static byte[] take(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return bytes;
  }

  private static RawHeader[] takeHeaders(ByteBuffer in) {
    RawHeader[] headers = new RawHeader[in.getInt()];
    for (int i = 0; i < headers.length; i++) {
      String name = new String(take(in), StandardCharsets.UTF_8);
      headers[i] = new RawHeader(name, in.get() == 0 ? null : take(in));
    }
    return headers;
  }
}
