package io.holdfast.judge;

import java.time.Duration;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.apache.kafka.streams.state.internals.InMemoryWindowStore;

/** Kafka Streams' store of windows, which keeps those for a while that have expired. */
final class RetainedWindows extends InMemoryWindowStore {
  private static final Duration KEPT = Duration.ofDays(1);
  private final Retention retention;

  private RetainedWindows(String name, long size, Retention retention) {
    super(name, KEPT.toMillis(), size, false, "in-memory-window");
    this.retention = retention;
  }

  @Override
  public void put(Bytes key, byte[] value, long start) {
    super.put(key, value, start);
    retention.written(start);
  }

  @Override
  public byte[] fetch(Bytes key, long start) {
    return retention.expired(start) ? null : super.fetch(key, start);
  }

  @Override
  public WindowStoreIterator<byte[]> fetch(Bytes key, long from, long to) {
    return super.fetch(key, retention.first(from), to);
  }

  @Override
  public WindowStoreIterator<byte[]> backwardFetch(Bytes key, long from, long to) {
    return super.backwardFetch(key, retention.first(from), to);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes first, Bytes last, long from, long to) {
    return super.fetch(first, last, retention.first(from), to);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes first, Bytes last, long from, long to) {
    return super.backwardFetch(first, last, retention.first(from), to);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetchAll(long from, long to) {
    return retention.emitting(super.fetchAll(from, to));
  }

  /** Makes such a store. */
  record Supplier(String name, long windowSize, Retention retention) implements WindowBytesStoreSupplier {
    @Override
    public WindowStore<Bytes, byte[]> get() {
      return new RetainedWindows(name, windowSize, retention);
    }

    @Override
    public String metricsScope() {
      return "in-memory-window";
    }

    @Override
    public long segmentIntervalMs() {
      return 1;
    }

    @Override
    public boolean retainDuplicates() {
      return false;
    }

    @Override
    public long retentionPeriod() {
      return KEPT.toMillis();
    }
  }
}
