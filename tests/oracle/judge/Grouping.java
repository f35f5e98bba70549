package io.holdfast.judge;

import java.util.function.LongConsumer;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/** A stream that is about to be grouped by its key; {@code repartitions} if that has changed. */
record Grouping(KStream<Object, Object> stream, boolean repartitions, Drops drops, boolean literally) {
  KGroupedStream<Object, Object> plain() {
    return stream.groupByKey();
  }

  /** Several that are aggregated together need names of their own, if more than one of them is repartitioned. */
  KGroupedStream<Object, Object> named(String name) {
    return stream.groupByKey(Grouped.as(name));
  }

  /** The same for windows; the observer sees the times of the records where they are aggregated. */
  KGroupedStream<Object, Object> watched(String name, LongConsumer times) {
    KStream<Object, Object> there = repartitions ? valued().repartition(Repartitioned.as(name)) : valued();
    return there.processValues(() -> new Observer(times)).groupByKey();
  }

  private static final class Observer extends ContextualFixedKeyProcessor<Object, Object, Object> {
    private final LongConsumer times;

    Observer(LongConsumer times) {
      this.times = times;
    }

    @Override
    public void process(FixedKeyRecord<Object, Object> r) {
      if (r.key() != null && r.value() != null) {
        times.accept(r.timestamp());
      }
      context().forward(r);
    }
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
