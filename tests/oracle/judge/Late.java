package io.holdfast.judge;

import java.util.Map;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/**
 * The late records of a windowed aggregate. Kafka Streams only counts them: what is written to the topic of {@code late=} is
 * what it did not call the aggregator for, once for each window of the record.
 */
final class Late {
  private final String aggregated;
  private final String left;
  private final KStream<Object, Object> stream;
  private final TimeWindows windows;
  private long calls;

  /** Of a stream where it is aggregated; {@code windows} are null where a record is in one window only. */
  Late(Map<String, Object> node, KStream<Object, Object> grouped, TimeWindows windows) {
    this.aggregated = node.get("late") + "-aggregated";
    this.left = node.get("late") + "-left";
    this.windows = windows;
    KStream<Object, Object> watched = grouped.processValues(Watcher::new);
    this.stream = watched.filter((k, v) -> true, Named.as(aggregated));
    watched.filter((k, v) -> true, Named.as(left))
        .to((String) node.get("late"), Produced.with(new JsonSerde(), new JsonSerde()));
  }

  /** What is to be aggregated. */
  KStream<Object, Object> stream() {
    return stream;
  }

  Fold counted(Fold fold) {
    return new Counted(fold);
  }

  /** Hands each record to the aggregate and looks at what that did. */
  private final class Watcher extends ContextualFixedKeyProcessor<Object, Object, Object> {
    @Override
    public void process(FixedKeyRecord<Object, Object> r) {
      calls = 0;
      context().forward(r, aggregated);
      long of = windows == null ? 1 : windows.windowsFor(r.timestamp()).size();
      for (long i = windows == null ? Math.min(calls, 1) : calls; r.key() != null && r.value() != null && i < of; i++) {
        context().forward(r, left);
      }
    }
  }

  private final class Counted implements Fold {
    private final Fold fold;

    Counted(Fold fold) {
      this.fold = fold;
    }

    @Override
    public Object initial() {
      return fold.initial();
    }

    @Override
    public Object add(Object key, Object value, Object state) {
      calls++;
      return fold.add(key, value, state);
    }

    @Override
    public Object merge(Object key, Object earlier, Object later) {
      return fold.merge(key, earlier, later);
    }

    @Override
    public Object shown(Object state) {
      return fold.shown(state);
    }

    @Override
    public boolean hidden() {
      return fold.hidden();
    }
  }
}
