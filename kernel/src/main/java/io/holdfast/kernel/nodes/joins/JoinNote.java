package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.TimeSeries;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.StreamRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a join of streams notes with a record that has not met another: that it waits, or that it was emitted unmatched.
 *
 * <p>Of one that waits: its place in the order; if it has headers, a byte, the length of the order (2), the order, and the headers.
 */
final class JoinNote {
  /** It was emitted unmatched. As short as that, the note does not keep the record for longer. */
  static final byte[] EMITTED = {0};
  /** An order begins with a time; none that is real begins like this. */
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
