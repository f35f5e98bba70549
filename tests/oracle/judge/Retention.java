package io.holdfast.judge;

import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;

/**
 * Which windows of a store have expired, where Kafka Streams keeps them longer than it shows them.
 *
 * <p>Kafka Streams loses final results when time leaps over the retention, because the store forgets windows before they are emitted:
 * here an emission sees all of them, and nobody else. A store of Kafka Streams has one time; here windows of several streams wait for each
 * stream, as ours do.
 */
final class Retention {
  private final long milliseconds;
  private final long[] inputs;
  private long latest = Long.MIN_VALUE;
  private boolean emitting;

  Retention(Map<String, Object> window, int inputs) {
    milliseconds = of(window);
    this.inputs = new long[inputs > 1 ? inputs : 0];
    Arrays.fill(this.inputs, Long.MIN_VALUE);
  }

  /** Ours retains a session while a record that is not late can join it; by default Kafka Streams forgets it a gap earlier. */
  static long of(Map<String, Object> window) {
    long said = Windows.duration(window, "retention").toMillis();
    long needed = 2 * Windows.duration(window, "gap").toMillis() + Windows.duration(window, "grace").toMillis() + 1;
    return "session".equals(window.get("kind")) ? Math.max(said, needed) : said;
  }

  /** A record came by an input. */
  void came(int input, long time) {
    if (inputs.length > 0) {
      inputs[input] = Math.max(inputs[input], time);
    }
  }

  /** A window was written that begins, or a session that ends, at this time. */
  void written(long time) {
    latest = Math.max(latest, time);
  }

  boolean expired(long time) {
    return time < first(time);
  }

  /** The first time of windows that are shown, from this one on. */
  long first(long time) {
    long now = Math.min(latest, Arrays.stream(inputs).min().orElse(latest));
    return emitting || now == Long.MIN_VALUE ? time : Math.max(time, now - milliseconds + 1);
  }

  /** While final results are emitted, nothing has expired. */
  <K, V> KeyValueIterator<K, V> emitting(KeyValueIterator<K, V> results) {
    emitting = true;
    return new KeyValueIterator<>() {
      @Override
      public boolean hasNext() {
        return results.hasNext();
      }

      @Override
      public KeyValue<K, V> next() {
        return results.next();
      }

      @Override
      public K peekNextKey() {
        return results.peekNextKey();
      }

      @Override
      public void close() {
        emitting = false;
        results.close();
      }
    };
  }
}
