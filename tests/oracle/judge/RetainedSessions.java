package io.holdfast.judge;

import java.time.Duration;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.internals.InMemorySessionStore;

/** Kafka Streams' store of sessions, which keeps those for a while that have expired. */
final class RetainedSessions extends InMemorySessionStore {
  private static final Duration KEPT = Duration.ofDays(1);
  private final Retention retention;

  private RetainedSessions(String name, Retention retention) {
    super(name, KEPT.toMillis(), "in-memory-session");
    this.retention = retention;
  }

  @Override
  public void put(Windowed<Bytes> session, byte[] value) {
    super.put(session, value);
    retention.written(session.window().end());
  }

  @Override
  public byte[] fetchSession(Bytes key, long start, long end) {
    return retention.expired(end) ? null : super.fetchSession(key, start, end);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(Bytes key, long earliestEnd, long latestStart) {
    return super.findSessions(key, retention.first(earliestEnd), latestStart);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(long earliestEnd, long latestEnd) {
    return retention.emitting(super.findSessions(earliestEnd, latestEnd));
  }

  /** Makes such a store. */
  record Supplier(String name, Retention retention) implements SessionBytesStoreSupplier {
    @Override
    public SessionStore<Bytes, byte[]> get() {
      return new RetainedSessions(name, retention);
    }

    @Override
    public String metricsScope() {
      return "in-memory-session";
    }

    @Override
    public long segmentIntervalMs() {
      return 1;
    }

    @Override
    public long retentionPeriod() {
      return KEPT.toMillis();
    }
  }
}
