package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.RowExtra;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.RowCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sessions of one key during a batch. They are stored as one row, the earliest first. */
final class KeySessions {
  private static final int HEAD = 8 + 8 + 8 + 4 + 4;
  private static final Comparator<Session> ORDER =
      Comparator.<Session>comparingLong(s -> s.end).thenComparingLong(s -> s.start);
  final byte[] bytes;
  final Object key;
  final List<Session> live = new ArrayList<>();
  boolean changed;
  private final Map<Span, SessionEntry> entries = new HashMap<>();

  private record Span(long start, long end) {}

  KeySessions(byte[] bytes, Object key) {
    this.bytes = bytes;
    this.key = key;
  }

  /** The session as the batch sees it, whether it exists or not. */
  SessionEntry entry(long start, long end, Folder folder, boolean needsValue) {
    return entries.computeIfAbsent(new Span(start, end), s -> {
      Session found = find(start, end);
      Object state = found == null ? null : found.state;
      return new SessionEntry(this, start, end, state, needsValue && state != null ? folder.valueOf(state) : null);
    });
  }

  /** Drops the batch's entry of a session. */
  void drop(SessionEntry entry) {
    entries.remove(new Span(entry.start, entry.end));
  }

  /** The sessions that a record of this time joins. */
  List<Session> found(long time, SessionClock clock) {
    List<Session> out = new ArrayList<>(2);
    for (Session s : live) {
      if (clock.joins(s, time)) {
        out.add(s);
      }
    }
    return out;
  }

  /** The earliest time for which the index has an entry, of those that were not emitted yet; Long.MAX_VALUE if there is none. */
  static long nextDue(List<Session> of) {
    return of.stream().filter(s -> !s.emitted).mapToLong(s -> s.nextDue).min().orElse(Long.MAX_VALUE);
  }

  Session find(long start, long end) {
    for (Session s : live) {
      if (s.start == start && s.end == end) {
        return s;
      }
    }
    return null;
  }

  /** Puts a session where one with the same times was, or in its order. */
  void put(Session session) {
    live.removeIf(s -> s.start == session.start && s.end == session.end);
    live.add(session);
    live.sort(ORDER);
    changed = true;
  }

  void remove(Session session) {
    live.remove(session);
    changed = true;
  }

  void read(byte[] row, RowCodec states, Folder folder) {
    ByteBuffer b = ByteBuffer.wrap(row);
    while (b.hasRemaining()) {
      long start = b.getLong();
      long end = b.getLong();
      long nextDue = b.getLong();
      boolean emitted = b.getInt() == 1;
      int length = b.getInt();
      int at = b.position();
      RawHeader[] headers = Envelope.decodeHeaders(RowExtra.of(row, at, length));
      Object state = folder.unpack(states.decode(row, at, RowExtra.rowLength(row, at, length)));
      live.add(new Session(start, end, state, headers, nextDue, emitted));
      b.position(at + length);
    }
  }

  byte[] row(RowCodec states, Folder folder) {
    List<byte[]> packed = new ArrayList<>(live.size());
    int size = 0;
    for (Session s : live) {
      packed.add(RowExtra.with(states.encode(folder.pack(s.state)), Envelope.encodeHeaders(s.headers)));
      size += HEAD + packed.get(packed.size() - 1).length;
    }
    ByteBuffer b = ByteBuffer.allocate(size);
    for (int i = 0; i < live.size(); i++) {
      Session s = live.get(i);
      b.putLong(s.start).putLong(s.end).putLong(s.nextDue).putInt(s.emitted ? 1 : 0);
      b.putInt(packed.get(i).length).put(packed.get(i));
    }
    return b.array();
  }
}
