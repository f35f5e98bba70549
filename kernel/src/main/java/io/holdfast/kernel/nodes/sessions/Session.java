package io.holdfast.kernel.nodes.sessions;

import io.holdfast.kernel.records.RawHeader;

/** A session of a key: records of which each is within a gap of another. Start and end are inclusive. */
final class Session {
  final long start;
  final long end;
  final Object state;
  /** If it is emitted only when it closes: the headers of the last record that changed it. */
  final RawHeader[] headers;
  /** The time for which the index has an entry on behalf of this session. */
  long nextDue;
  /** Whether its final result was emitted. */
  boolean emitted;

  Session(long start, long end, Object state, RawHeader[] headers, long nextDue, boolean emitted) {
    this.start = start;
    this.end = end;
    this.state = state;
    this.headers = headers;
    this.nextDue = nextDue;
    this.emitted = emitted;
  }
}
