package io.holdfast.kernel.nodes.functions;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The state of a key: its state and its timers as JSON, and the next timer.
 *
 * <p>Stored: a byte of flags; when it was used last (8); if it has timers, the earliest time and the mark in the index, in event time and by
 * the wall clock (32); the length of the timers (4) and the timers; the state.
 */
final class KeyState {
  static final long NEVER = Long.MAX_VALUE;
  private static final int STATE = 1;
  private static final int TIMERS = 2;
  private static final int WAITS = 4;

  final byte[] keyBytes;
  final Object key;
  byte[] state;
  byte[] timers;
  /** The stream time when it was used last. */
  long touched = Long.MIN_VALUE;
  final Waiting event = new Waiting();
  final Waiting wall = new Waiting();
  /** The state that was written to the changelog last. */
  private byte[] published;
  boolean changed;
  /** Its index in the current call; the number of that call. */
  int slot;
  int call = -1;
  /** How many bytes of records that call has for it. */
  long arrived;

  /** The earliest timer of a key, and the time of its mark in the index, which is never later. */
  static final class Waiting {
    long next = NEVER;
    long mark = NEVER;
  }

  KeyState(byte[] keyBytes, Object key) {
    this.keyBytes = keyBytes;
    this.key = key;
  }

  static KeyState of(byte[] keyBytes, Object key, byte[] stored) {
    KeyState out = new KeyState(keyBytes, key);
    if (stored != null) {
      out.read(ByteBuffer.wrap(stored));
    }
    return out;
  }

  private void read(ByteBuffer in) {
    int parts = in.get();
    touched = in.getLong();
    if ((parts & WAITS) != 0) {
      event.next = in.getLong();
      event.mark = in.getLong();
      wall.next = in.getLong();
      wall.mark = in.getLong();
    }
    if ((parts & TIMERS) != 0) {
      timers = new byte[in.getInt()];
      in.get(timers);
    }
    if ((parts & STATE) != 0) {
      state = new byte[in.remaining()];
      in.get(state);
    }
    published = state;
  }

  /** The stored form; null if there is neither state nor timers. */
  byte[] stored() {
    if (state == null && timers == null) {
      return null;
    }
    boolean waits = event.mark != NEVER || wall.mark != NEVER;
    int size = 9 + (waits ? 32 : 0) + (timers == null ? 0 : 4 + timers.length) + (state == null ? 0 : state.length);
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put((byte) ((state == null ? 0 : STATE) | (timers == null ? 0 : TIMERS) | (waits ? WAITS : 0))).putLong(touched);
    if (waits) {
      out.putLong(event.next).putLong(event.mark).putLong(wall.next).putLong(wall.mark);
    }
    if (timers != null) {
      out.putInt(timers.length).put(timers);
    }
    return (state == null ? out : out.put(state)).array();
  }

  /** Whether the state has changed since it was written to the changelog; marks it as written. */
  boolean publish() {
    boolean news = !Arrays.equals(published, state);
    published = state;
    return news;
  }
}
