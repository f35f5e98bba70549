package io.holdfast.kernel.sink;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.Arrays;

/** A histogram of latencies: from the time of an output record to its commit. */
final class Latency implements Serializable {
  /** Upper bounds in milliseconds; one more bucket has the rest. */
  private static final long[] BOUNDS = {5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000};

  private final long[] counts = new long[BOUNDS.length + 1];
  private long sum;

  void add(long millis) {
    long taken = Math.max(0, millis);
    int found = Arrays.binarySearch(BOUNDS, taken);
    counts[found >= 0 ? found : -found - 1]++;
    sum += taken;
  }

  void add(Latency other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    sum += other.sum;
  }

  /** Writes bounds and sum in seconds, and the number of records in each bucket. */
  void describe(ObjectNode out) {
    var bounds = out.putArray("bounds");
    var each = out.putArray("counts");
    Arrays.stream(BOUNDS).forEach(bound -> bounds.add(bound / 1000.0));
    Arrays.stream(counts).forEach(each::add);
    out.put("sum", sum / 1000.0);
  }
}
