package io.holdfast.judge;

import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;

/** A stream that is about to be grouped by its key. */
record Grouping(KStream<Object, Object> stream, Drops drops, boolean literally) {
  KGroupedStream<Object, Object> plain() {
    return stream.groupByKey();
  }

  /**
   * Kafka Streams passes over null values in plain and sliding aggregates, but gives them to those of other windows, against
   * its own documentation; ours passes over them everywhere.
   */
  KGroupedStream<Object, Object> withoutNulls() {
    return literally ? plain() : stream.filter((k, v) -> {
      if (k != null && v == null) {
        drops.skipped();
        return false;
      }
      return true;
    }).groupByKey();
  }
}
