import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** The workloads on Kafka Streams with two threads and its defaults; counts a record when it is taken up. */
public final class KafkaStreamsTimed {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicLong DONE = new AtomicLong();
  private static final AtomicLong INSIDE = new AtomicLong();
  private static final Set<String> INPUTS =
      Set.of("trades", "clicks", "orders", "payments", "accounts", "limits", "purchases", "customers");

  public static class Trade {
    public int price;
  }

  public static class Click {
    public int page;
  }

  public static class Order {
    public int amount;
  }

  public static class Payment {
    public int paid;
  }

  public static class Account {
    public int balance;
  }

  public static class Limit {
    public int most;
  }

  public static class Purchase {
    public String customer;
    public int amount;
  }

  public static class Customer {
    public String name;
  }

  public static class Totals {
    public long count;
    public long sum;
  }

  /** Two fields in order. */
  public static class Pair {
    public Object a;
    public Object b;

    public Pair() {}

    Pair(Object a, Object b) {
      this.a = a;
      this.b = b;
    }
  }

  private static <T> Serde<T> json(Class<T> type) {
    return Serdes.serdeFrom((topic, value) -> {
      try {
        return value == null ? null : JSON.writeValueAsBytes(value);
      } catch (Exception e) {
        throw new RuntimeException(e);
      }
    }, (topic, bytes) -> {
      try {
        count(topic);
        return bytes == null ? null : JSON.readValue(bytes, type);
      } catch (Exception e) {
        throw new RuntimeException(e);
      }
    });
  }

  private static void count(String topic) {
    boolean input = INPUTS.contains(topic);
    long done = input ? DONE.incrementAndGet() : DONE.get();
    if (input ? done % 10_000 == 0 : topic != null && topic.endsWith("-topic") && INSIDE.incrementAndGet() % 10_000 == 0) {
      System.out.println("PROGRESS " + String.format(Locale.ROOT, "%.3f", System.currentTimeMillis() / 1000.0) + " " + done);
    }
  }

  private static String name(Windowed<String> key) {
    return key.key() + "@" + key.window().start();
  }

  public static void main(String[] arguments) {
    Map<String, String> env = System.getenv();
    Properties settings = new Properties();
    settings.put("application.id", env.get("RUN"));
    settings.put("bootstrap.servers", env.get("BROKERS"));
    settings.put("state.dir", env.get("DIR"));
    settings.put("num.stream.threads", "2");
    settings.put("auto.offset.reset", "earliest");
    if (env.get("W").equals("foreign-key")) {
      // By default its caches pass the last changes on after 30 s only, and its second half would be waiting.
      settings.put("commit.interval.ms", "1000");
    }
    StreamsBuilder builder = new StreamsBuilder();
    String out = env.get("OUT");
    Serde<String> text = Serdes.String();
    Serde<Pair> pair = json(Pair.class);
    switch (env.get("W")) {
      case "hopping" -> trades(builder)
          .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofSeconds(5)).advanceBy(Duration.ofSeconds(1)))
          .aggregate(Totals::new, (k, trade, t) -> {
            t.count++;
            t.sum += trade.price;
            return t;
          }, Materialized.with(text, json(Totals.class)))
          .toStream().map((k, t) -> KeyValue.pair(name(k), new Pair(t.count, (double) t.sum / t.count)))
          .to(out, Produced.with(text, pair));
      case "tumbling" -> trades(builder).windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofSeconds(5)))
          .count(Materialized.with(text, Serdes.Long()))
          .toStream().map((k, n) -> KeyValue.pair(name(k), n.toString())).to(out, Produced.with(text, text));
      case "session" -> builder.stream("clicks", Consumed.with(text, json(Click.class)))
          .groupByKey(Grouped.with(text, json(Click.class)))
          .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofSeconds(5)))
          .count(Materialized.with(text, Serdes.Long()))
          .toStream().filter((k, n) -> n != null).map((k, n) -> KeyValue.pair(name(k), n.toString()))
          .to(out, Produced.with(text, text));
      case "stream-join" -> {
        KStream<String, Order> orders = builder.stream("orders", Consumed.with(text, json(Order.class)));
        KStream<String, Payment> payments = builder.stream("payments", Consumed.with(text, json(Payment.class)));
        orders.join(payments, (o, p) -> new Pair(o.amount, p.paid),
            JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofSeconds(1)),
            StreamJoined.with(text, json(Order.class), json(Payment.class))).to(out, Produced.with(text, pair));
      }
      case "table-join" -> {
        KTable<String, Account> accounts = builder.table("accounts", Consumed.with(text, json(Account.class)));
        KTable<String, Limit> limits = builder.table("limits", Consumed.with(text, json(Limit.class)));
        accounts.join(limits, (a, l) -> new Pair(a.balance, l.most), Materialized.with(text, pair))
            .toStream().to(out, Produced.with(text, pair));
      }
      default -> {
        KTable<String, Purchase> purchases = builder.table("purchases", Consumed.with(text, json(Purchase.class)));
        KTable<String, Customer> customers = builder.table("customers", Consumed.with(text, json(Customer.class)));
        purchases.join(customers, p -> p.customer, (p, c) -> new Pair(p.amount, c.name), Materialized.with(text, pair))
            .toStream().to(out, Produced.with(text, pair));
      }
    }
    KafkaStreams streams = new KafkaStreams(builder.build(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    streams.start();
  }

  private static org.apache.kafka.streams.kstream.KGroupedStream<String, Trade> trades(StreamsBuilder builder) {
    return builder.stream("trades", Consumed.with(Serdes.String(), json(Trade.class)))
        .groupByKey(Grouped.with(Serdes.String(), json(Trade.class)));
  }
}
