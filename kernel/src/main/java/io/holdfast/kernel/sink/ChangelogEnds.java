package io.holdfast.kernel.sink;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;

/** How far changelogs are written in an epoch, as the producer's thread hears it record by record. */
final class ChangelogEnds {
  private final Map<String, PartitionEnds> topics = new HashMap<>();
  private final Consumer<Exception> failures;

  /**
   * @param failures what to do with a record that did not arrive
   */
  ChangelogEnds(Consumer<Exception> failures) {
    this.failures = failures;
  }

  /** What the producer calls for each record of that changelog: the same for all of them, so that it keeps no record alive. */
  Callback of(String topic) {
    return topics.computeIfAbsent(topic, name -> new PartitionEnds()).callback;
  }

  /** Shows the ends of a changelog's partitions; to be called after the producer's flush. */
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
