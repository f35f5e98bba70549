package io.holdfast.judge;

import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;

/** A stream that is about to be grouped by its key; {@code repartitions} if that has changed. */
record Grouping(KStream<Object, Object> stream, boolean repartitions, Drops drops, boolean literally) {
  KGroupedStream<Object, Object> plain() {
    return stream.groupByKey();
  }

  /** Several that are aggregated together need names of their own, if more than one of them is repartitioned. */
  KGroupedStream<Object, Object> named(String name, boolean skipNulls) {
    return (skipNulls ? valued() : stream).groupByKey(Grouped.as(name));
  }

  /**
   * Kafka Streams passes over null values in plain and sliding aggregates, but gives them to those of other windows, against
   * its own documentation; ours passes over them everywhere.
   */
  KGroupedStream<Object, Object> withoutNulls() {
    return valued().groupByKey();
  }

  /** The same with another stream of the same keys. */
  Grouping with(KStream<Object, Object> other) {
    return new Grouping(other, false, drops, literally);
  }

  /** The stream where it is aggregated: behind the repartition, if there is one. */
  KStream<Object, Object> repartitioned() {
    return repartitions ? stream.repartition() : stream;
  }

  private KStream<Object, Object> valued() {
    return literally ? stream : stream.filter((k, v) -> {
      if (k != null && v == null) {
        drops.skipped();
        return false;
      }
      return true;
    });
  }
}
