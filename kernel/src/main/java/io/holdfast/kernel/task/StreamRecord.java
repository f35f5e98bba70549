package io.holdfast.kernel.task;

import io.holdfast.kernel.records.RawHeader;

/** A record, or a change of a table, as the nodes of a task process it; values are Catalyst's internal ones. */
public final class StreamRecord {
  /** The number of a record that has none. */
  public static final long UNNUMBERED = -1;
  public final byte[] order;
  public final long timestamp;
  public final Object key;
  public final Object value;
  /** For a change of a table: the value before. */
  public final Object old;
  public final RawHeader[] headers;
  /** The encoded key, as stores and exchanges have it; null until it is needed. */
  byte[] keyBytes;
  /** The input by which it came to its node. */
  int port;
  /** For a change of a versioned table: whether a later version is there already. */
  boolean outdated;
  /** Whether it is emitted to copies of the table only: an evicted entry, or one not emitted yet, is no change to other consumers. */
  boolean copiesOnly;
  /** Whether its value is a partial state of the consumer, combined before the exchange out of several records. */
  boolean partial;
  /** In real-time mode, for changes that pass through another task: the number of the change, which grows with each change of an entry. */
  long number = UNNUMBERED;

  public StreamRecord(byte[] order, long timestamp, Object key, Object value, Object old, RawHeader[] headers) {
    this.order = order;
    this.timestamp = timestamp;
    this.key = key;
    this.value = value;
    this.old = old;
    this.headers = headers;
  }

  /** Whether its value is a partial state, made of several records. */
  public boolean isPartial() {
    return partial;
  }

  /** The input by which it came to its node: 0 for the first. */
  public int port() {
    return port;
  }

  /** Sets the input by which it came; returns the record itself. */
  public StreamRecord from(int input) {
    port = input;
    return this;
  }

  /** Whether this is a change of a versioned table that does not touch its latest version. */
  public boolean isOutdated() {
    return outdated;
  }

  /** The same change, of a table that has a later version already. */
  public StreamRecord outdated() {
    StreamRecord out = at(order);
    out.outdated = true;
    return out;
  }

  public long number() {
    return number;
  }

  /** Sets its number; returns the record itself. */
  public StreamRecord numbered(long newNumber) {
    number = newNumber;
    return this;
  }

  public boolean isForCopiesOnly() {
    return copiesOnly;
  }

  /** Marks it so; returns the record itself. */
  StreamRecord forCopiesOnly() {
    copiesOnly = true;
    return this;
  }

  /** A record with another value under the same key; it is no change of a table any more. */
  public StreamRecord withValue(Object newValue) {
    StreamRecord out = new StreamRecord(order, timestamp, key, newValue, null, headers);
    out.keyBytes = keyBytes;
    return out;
  }

  /** The same record or change with another time. */
  public StreamRecord withTime(long time) {
    return time == timestamp ? this : copy(order, time);
  }

  /** A record with a partial state, which stands for all records that it was made of. */
  public StreamRecord partial(Object state) {
    StreamRecord out = withValue(state);
    out.partial = true;
    return out;
  }

  /** A record under another key; it is no change of a table any more. */
  public StreamRecord withKey(Object newKey) {
    return new StreamRecord(order, timestamp, newKey, value, null, headers);
  }

  public StreamRecord withKeyAndValue(Object newKey, Object newValue) {
    return new StreamRecord(order, timestamp, newKey, newValue, null, headers);
  }

  /** The same record or change at another position in the order. */
  public StreamRecord at(byte[] newOrder) {
    return copy(newOrder, timestamp);
  }

  /** A copy with all flags, without an input. */
  private StreamRecord copy(byte[] newOrder, long time) {
    StreamRecord out = new StreamRecord(newOrder, time, key, value, old, headers);
    out.keyBytes = keyBytes;
    out.outdated = outdated;
    out.copiesOnly = copiesOnly;
    out.partial = partial;
    out.number = number;
    return out;
  }

  /** A change of a table that this record caused. */
  public StreamRecord change(Object before, Object after, long time) {
    StreamRecord out = new StreamRecord(order, time, key, after, before, headers);
    out.keyBytes = keyBytes;
    out.copiesOnly = copiesOnly;
    return out;
  }
}
