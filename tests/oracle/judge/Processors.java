package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;
import static io.holdfast.judge.Expr.map;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** The processors of tests/oracle/processors.py, as one writes them for Kafka Streams. */
final class Processors {
  private Processors() {}

  static StoreBuilder<KeyValueStore<Object, Object>> store(Map<String, Object> node) {
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore((String) map(node.get("store")).get("name")),
        new JsonSerde(), new JsonSerde());
  }

  static KStream<Object, Object> process(KStream<Object, Object> stream, Map<String, Object> node) {
    List<String> stores = new ArrayList<>();
    list(node.get("stores")).forEach(store -> stores.add((String) map(store).get("name")));
    String id = (String) node.get("id");
    String name = ((String) node.get("name")).split(" ")[0];
    return stream.process(() -> make(name, id, stores), Named.as(id), stores.toArray(new String[0]));
  }

  private static Processor<Object, Object, Object, Object> make(String name, String id, List<String> stores) {
    return switch (name) {
      case "Counting" -> new Counting(stores);
      case "Flushing" -> new Flushing(stores, PunctuationType.STREAM_TIME);
      case "Ringing" -> new Flushing(stores, PunctuationType.WALL_CLOCK_TIME);
      case "Adding" -> new Adding(stores);
      case "Doubling" -> new Doubling(stores);
      case "Sorting" -> new Sorting(id);
      case "Alarms" -> new Alarms();
      case "Neighbours" -> new Neighbours(stores);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private abstract static class WithStore extends ContextualProcessor<Object, Object, Object, Object> {
    private final List<String> names;
    KeyValueStore<Object, Object> store;

    WithStore(List<String> names) {
      this.names = names;
    }

    @Override
    public void init(ProcessorContext<Object, Object> context) {
      super.init(context);
      store = context.getStateStore(names.get(0));
    }

    long number(Object key) {
      Object found = store.get(key);
      return found == null ? 0 : (Long) found;
    }
  }

  private static final class Counting extends WithStore {
    Counting(List<String> names) {
      super(names);
    }

    @Override
    public void process(Record<Object, Object> r) {
      store.put(r.key(), number(r.key()) + 1);
      context().forward(r.withValue(number(r.key())));
      context().forward(r.withValue(context().currentStreamTimeMs()).withTimestamp(r.timestamp() + 1));
    }
  }

  private static final class Flushing extends WithStore {
    private final PunctuationType clock;

    Flushing(List<String> names, PunctuationType clock) {
      super(names);
      this.clock = clock;
    }

    @Override
    public void init(ProcessorContext<Object, Object> context) {
      super.init(context);
      context.schedule(Duration.ofMillis(7), clock, this::flush);
    }

    @Override
    public void process(Record<Object, Object> r) {
      if (store.putIfAbsent(r.key(), r.value()) == null) {
        context().forward(r);
      }
    }

    private void flush(long now) {
      List<KeyValue<Object, Object>> found = new ArrayList<>();
      try (KeyValueIterator<Object, Object> all = store.all()) {
        all.forEachRemaining(found::add);
      }
      for (KeyValue<Object, Object> entry : found) {
        context().forward(new Record<>(entry.key, entry.value, now));
        store.delete(entry.key);
      }
    }
  }

  private static final class Adding extends WithStore {
    Adding(List<String> names) {
      super(names);
    }

    @Override
    public void process(Record<Object, Object> r) {
      store.put(r.key(), number(r.key()) + (Long) r.value());
      context().forward(r);
      context().forward(r.withValue(1000 + number(r.key())));
    }
  }

  private static final class Doubling extends WithStore {
    Doubling(List<String> names) {
      super(names);
    }

    @Override
    public void process(Record<Object, Object> r) {
      store.put(r.key(), number(r.key()) * 2);
      context().forward(r.withValue(number(r.key())));
    }
  }

  private static final class Sorting extends ContextualProcessor<Object, Object, Object, Object> {
    private final String id;

    Sorting(String id) {
      this.id = id;
    }

    @Override
    public void process(Record<Object, Object> r) {
      long n = (Long) r.value();
      if (n % 3 == 0) {
        context().forward(r);
      } else {
        context().forward(r, id + (n % 3 == 1 ? ".low" : ".high"));
      }
    }
  }

  private static final class Alarms extends ContextualProcessor<Object, Object, Object, Object> {
    private final List<Cancellable> scheduled = new ArrayList<>();

    @Override
    public void process(Record<Object, Object> r) {
      long n = (Long) r.value();
      if (n % 4 == 0) {
        scheduled.add(context().schedule(Duration.ofMillis(3 + n), PunctuationType.STREAM_TIME,
            now -> context().forward(new Record<>("alarm", now, now))));
      }
      if (n % 5 == 0) {
        scheduled.forEach(Cancellable::cancel);
      }
    }
  }

  private static final class Neighbours extends WithStore {
    Neighbours(List<String> names) {
      super(names);
    }

    @Override
    public void process(Record<Object, Object> r) {
      long n = (Long) r.value();
      if (n % 4 == 3) {
        context().forward(r.withValue(store.delete(r.key())));
      } else {
        store.put(r.key(), n);
      }
      tell(r, store.range("b", "d"));
      tell(r, store.reverseRange("a", "c"));
      tell(r, store.reverseAll());
    }

    private void tell(Record<Object, Object> r, KeyValueIterator<Object, Object> found) {
      long told = 0;
      while (found.hasNext()) {
        KeyValue<Object, Object> each = found.next();
        told = told * 100 + (Long) each.value + each.key.toString().charAt(0) - 'a';
      }
      found.close();
      context().forward(r.withValue(told));
    }
  }
}
