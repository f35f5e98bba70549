import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/** The workloads on Kafka Streams with two threads and its defaults; counts a record when it has been aggregated. */
public final class KafkaStreamsPeer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicLong DONE = new AtomicLong();

  public static class Event {
    public int score;
    public int product_id;
    public int player_id;
  }

  public static class Totals {
    public long count;
    public long sum;
  }

  public static class Score {
    public int score;

    public Score() {}

    Score(int score) {
      this.score = score;
    }
  }

  public static class Top {
    public List<Score> top = new ArrayList<>();
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
        return bytes == null ? null : JSON.readValue(bytes, type);
      } catch (Exception e) {
        throw new RuntimeException(e);
      }
    });
  }

  private static void counted() {
    long n = DONE.incrementAndGet();
    if (n % 20_000 == 0) {
      System.out.println("PROGRESS " + String.format(Locale.ROOT, "%.3f", System.currentTimeMillis() / 1000.0) + " " + n);
    }
  }

  /** Settings as a JSON object. */
  private static Map<?, ?> more(String json) {
    try {
      return JSON.readValue(json, Map.class);
    } catch (Exception e) {
      throw new IllegalArgumentException("SETTINGS is not JSON: " + json, e);
    }
  }

  public static void main(String[] arguments) {
    Map<String, String> env = System.getenv();
    Properties settings = new Properties();
    settings.put("application.id", env.get("RUN"));
    settings.put("bootstrap.servers", env.get("BROKERS"));
    settings.put("state.dir", env.get("DIR"));
    settings.put("num.stream.threads", "2");
    settings.put("auto.offset.reset", "earliest");
    settings.putAll(more(env.getOrDefault("SETTINGS", "{}")));
    StreamsBuilder builder = new StreamsBuilder();
    Serde<Event> event = json(Event.class);
    KStream<byte[], Event> events = builder.stream(env.get("IN"), Consumed.with(Serdes.ByteArray(), event));
    String out = env.get("OUT");
    switch (env.get("W")) {
      case "w1" -> events.groupBy((k, e) -> e.product_id, Grouped.with(Serdes.Integer(), event))
          .aggregate(() -> 0L, (k, e, n) -> {
            counted();
            return n + 1;
          }, Materialized.with(Serdes.Integer(), Serdes.Long()))
          .toStream().map((k, n) -> org.apache.kafka.streams.KeyValue.pair(k.toString(), n.toString()))
          .to(out, Produced.with(Serdes.String(), Serdes.String()));
      case "w2" -> events.groupBy((k, e) -> e.product_id, Grouped.with(Serdes.Integer(), event))
          .aggregate(Top::new, (k, e, t) -> {
            counted();
            t.top.add(new Score(e.score));
            t.top.sort((x, y) -> Integer.compare(y.score, x.score));
            if (t.top.size() > 3) {
              t.top.remove(3);
            }
            return t;
          }, Materialized.with(Serdes.Integer(), json(Top.class)))
          .toStream().map((k, t) -> org.apache.kafka.streams.KeyValue.pair(k.toString(), t))
          .to(out, Produced.with(Serdes.String(), json(Top.class)));
      default -> events.groupBy((k, e) -> e.player_id, Grouped.with(Serdes.Integer(), event))
          .aggregate(Totals::new, (k, e, t) -> {
            counted();
            t.count++;
            t.sum += e.score;
            return t;
          }, Materialized.with(Serdes.Integer(), json(Totals.class)))
          .toStream().map((k, t) -> org.apache.kafka.streams.KeyValue.pair(k.toString(), t))
          .to(out, Produced.with(Serdes.String(), json(Totals.class)));
    }
    KafkaStreams streams = new KafkaStreams(builder.build(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    streams.start();
  }
}
