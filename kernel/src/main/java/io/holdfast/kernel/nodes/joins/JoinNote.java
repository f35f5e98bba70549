package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.StreamRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The note of a stream-stream join at a record without a partner: that it waits, or that it was emitted unmatched.
 *
 * <p>For one that waits: its position in the order; if it has headers, a byte, the length of the position (2), the position, and the headers.
 */
final class JoinNote {
  /** It was emitted unmatched. A note of one byte does not retain the record. */
  static final byte[] EMITTED = {0};
  /** A position begins with a time; no real time begins like this. */
  private static final byte WITH_HEADERS = 1;

  private JoinNote() {}

  static byte[] waiting(StreamRecord r) {
    byte[] headers = Envelope.encodeHeaders(r.headers);
    if (headers == null) {
      return r.order;
    }
    ByteBuffer b = ByteBuffer.allocate(3 + r.order.length + headers.length).put(WITH_HEADERS).putShort((short) r.order.length);
    return b.put(r.order).put(headers).array();
  }

  static boolean isWaiting(TimeSeries.Item item) {
    return item.note() != null && !wasEmitted(item);
  }

  static boolean wasEmitted(TimeSeries.Item item) {
    return item.note() != null && item.note().length == EMITTED.length;
  }

  /** The record that waits, as it came. */
  static StreamRecord record(TimeSeries.Item item, Object key, Object value) {
    byte[] note = item.note();
    if (note[0] != WITH_HEADERS) {
      return new StreamRecord(note, item.time, key, value, null, null);
    }
    int end = 3 + (ByteBuffer.wrap(note).getShort(1) & 0xFFFF);
    RawHeader[] headers = Envelope.decodeHeaders(Arrays.copyOfRange(note, end, note.length));
    return new StreamRecord(Arrays.copyOfRange(note, 3, end), item.time, key, value, null, headers);
  }
}
