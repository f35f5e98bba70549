package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** One key of a table whose updates are suppressed, during a batch. */
final class SuppressedKey {
  private static final byte[] NOTHING = {};
  final byte[] key;
  /** Whether an update is buffered. */
  boolean buffered;
  /** The latest update. */
  Object value;
  long timestamp;
  RawHeader[] headers;
  /** The value that was emitted before. */
  Object prior;
  boolean changed;
  private final List<byte[]> orders = new ArrayList<>();
  private final List<ReadView> seen = new ArrayList<>();

  /**
   * What a reader sees at a position in the order.
   *
   * @param buffered whether updates are buffered, so that the reader sees the value before them; otherwise it sees that of the table
   */
  record ReadView(boolean buffered, Object prior) {}

  SuppressedKey(byte[] key) {
    this.key = key;
    note(NOTHING);
  }

  SuppressedKey(byte[] key, byte[] stored, RowCodec values) {
    this.key = key;
    ByteBuffer b = ByteBuffer.wrap(stored);
    timestamp = b.getLong();
    byte[] packed = part(b);
    headers = packed == null ? null : Envelope.headers(packed);
    prior = decoded(part(b), values);
    value = decoded(part(b), values);
    buffered = true;
    note(NOTHING);
  }

  byte[] encoded(RowCodec values) {
    byte[] packed = headers == null ? null : Envelope.headers(headers);
    byte[] before = prior == null ? null : values.encode(prior);
    byte[] after = value == null ? null : values.encode(value);
    ByteBuffer b = ByteBuffer.allocate(20 + size(packed) + size(before) + size(after));
    b.putLong(timestamp);
    put(b, packed);
    put(b, before);
    put(b, after);
    return b.array();
  }

  private static int size(byte[] part) {
    return part == null ? 0 : part.length;
  }

  private static void put(ByteBuffer b, byte[] part) {
    b.putInt(part == null ? -1 : part.length);
    if (part != null) {
      b.put(part);
    }
  }

  private static byte[] part(ByteBuffer b) {
    int length = b.getInt();
    if (length < 0) {
      return null;
    }
    byte[] out = new byte[length];
    b.get(out);
    return out;
  }

  private static Object decoded(byte[] part, RowCodec values) {
    return part == null ? null : values.decode(part);
  }

  /** Records what a reader sees from this position in the order on. */
  void note(byte[] order) {
    orders.add(order);
    seen.add(new ReadView(buffered, prior));
  }

  ReadView asOf(byte[] order) {
    int i = orders.size() - 1;
    while (i > 0 && Order.compare(orders.get(i), order) > 0) {
      i--;
    }
    return seen.get(i);
  }
}
