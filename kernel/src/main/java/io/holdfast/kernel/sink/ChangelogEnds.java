package io.holdfast.kernel.sink;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;

/** The ends of the changelogs after an epoch, out of the producer's acknowledgements. */
final class ChangelogEnds {
  private final Map<String, PartitionEnds> topics = new HashMap<>();
  private final Consumer<Exception> failures;

  /**
   * @param failures takes the errors of records that were not acknowledged
   */
  ChangelogEnds(Consumer<Exception> failures) {
    this.failures = failures;
  }

  /** The callback for the records of a changelog: the same for all of them, so that it retains no record. */
  Callback of(String topic) {
    return topics.computeIfAbsent(topic, name -> new PartitionEnds()).callback;
  }

  /** Passes the ends of each changelog's partitions to a visitor; must be called after the producer's flush. */
  void each(BiConsumer<String, Map<Integer, Long>> visitor) {
    topics.forEach((topic, ends) -> visitor.accept(topic, ends.byPartition()));
  }

  /** One changelog: by partition, the offset behind the last record; zero if there was none. */
  private final class PartitionEnds {
    private long[] ends = {};
    final Callback callback = (metadata, error) -> {
      if (error == null) {
        note(metadata.partition(), metadata.offset());
      } else {
        failures.accept(error);
      }
    };

    private void note(int partition, long offset) {
      if (partition >= ends.length) {
        ends = Arrays.copyOf(ends, partition + 1);
      }
      ends[partition] = Math.max(ends[partition], offset + 1);
    }

    Map<Integer, Long> byPartition() {
      Map<Integer, Long> out = new HashMap<>();
      for (int partition = 0; partition < ends.length; partition++) {
        if (ends[partition] > 0) {
          out.put(partition, ends[partition]);
        }
      }
      return out;
    }
  }
}
