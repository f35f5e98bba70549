package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.KeyValueStore;
import java.nio.ByteBuffer;

/** The stream time of a node in the current task: the latest time of its records, stored between batches. */
public final class StreamTime {
  private static final byte[] PLACE = {'t'};
  private final KeyValueStore store;
  private long now;
  private long stored;

  public StreamTime(KeyValueStore store) {
    this.store = store;
  }

  /** The beginning of a task's batch. */
  public void load() {
    byte[] bytes = store.get(PLACE);
    stored = bytes == null ? Long.MIN_VALUE : ByteBuffer.wrap(bytes).getLong();
    now = stored;
  }

  /** Takes a record's time into account; returns the stream time after it. */
  public long observe(long timestamp) {
    now = Math.max(now, timestamp);
    return now;
  }

  /** The time, or Long.MIN_VALUE if nothing has come yet. */
  public long now() {
    return now;
  }

  /** Sets stream time back, because no record has come with the time that was observed. */
  public void reset(long time) {
    now = time;
  }

  /** The end of the batch. */
  public void save() {
    if (now != stored) {
      store.put(PLACE, ByteBuffer.allocate(8).putLong(now).array());
    }
  }
}
