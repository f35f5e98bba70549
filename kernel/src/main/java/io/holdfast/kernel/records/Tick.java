package io.holdfast.kernel.records;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A time update for every task: how far a partition is, that a topic is idle, or the wall-clock time.
 *
 * @param topic its index among the topics of the program; 0xFFFF if this is the wall clock
 * @param partition which one has reached the time; negative if this is about the whole topic
 * @param partitions how many the topic has, if this is about the whole topic
 * @param time the latest time of a partition; of a topic, how long it has been idle, or negative if it is not
 * @param drained the wall-clock time at which everything of a topic had been read; Long.MIN_VALUE if there is more to read
 */
public record Tick(int topic, int partition, int partitions, long time, long drained) {
  private static final short EDGE = (short) 0xFFFE;
  private static final int SIZE = 26;
  private static final int NO_TOPIC = 0xFFFF;

  /** A partition's records reach to this time. */
  public static Tick reached(int topic, int partition, long time) {
    return new Tick(topic, partition, 0, time, Long.MIN_VALUE);
  }

  /** A topic with so many partitions has been idle for so long, or is not idle (negative). */
  public static Tick ofTopic(int topic, int partitions, long idle) {
    return new Tick(topic, -1, partitions, idle, Long.MIN_VALUE);
  }

  /** Everything of a topic has been read for now: windows and timers close by the wall clock. */
  public static Tick drained(int topic, int partitions, long now) {
    return new Tick(topic, -1, partitions, -1, now);
  }

  /** The wall-clock time. */
  public static Tick ofClock(long time) {
    return new Tick(NO_TOPIC, -1, 0, time, Long.MIN_VALUE);
  }

  public boolean isClock() {
    return topic == NO_TOPIC;
  }

  /** Whether the record at that position, without its label, holds ticks. */
  public static boolean is(byte[] bytes, int at) {
    return bytes[at] == (byte) (EDGE >> 8) && bytes[at + 1] == (byte) EDGE;
  }

  /** The ticks for one task. */
  public static byte[] encode(short label, List<Tick> ticks) {
    ByteBuffer b = ByteBuffer.allocate(4 + SIZE * ticks.size()).putShort(label).putShort(EDGE);
    ticks.forEach(t -> b.putShort((short) t.topic).putInt(t.partition).putInt(t.partitions).putLong(t.time).putLong(t.drained));
    return b.array();
  }

  public static List<Tick> decode(byte[] bytes, int at, int length) {
    ByteBuffer b = ByteBuffer.wrap(bytes, at + 2, length - 2);
    List<Tick> out = new ArrayList<>();
    while (b.hasRemaining()) {
      out.add(new Tick(b.getShort() & 0xFFFF, b.getInt(), b.getInt(), b.getLong(), b.getLong()));
    }
    return out;
  }
}
