package io.holdfast.judge;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.BranchedKStream;
import org.apache.kafka.streams.kstream.CogroupedKStream;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KGroupedTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.SessionWindowedCogroupedKStream;
import org.apache.kafka.streams.kstream.SessionWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindowedCogroupedKStream;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;

/** The public methods of Kafka Streams' DSL, read from its classes. */
final class Methods {
  private static final Class<?>[] DSL = {
    StreamsBuilder.class, KStream.class, KTable.class, GlobalKTable.class, KGroupedStream.class, KGroupedTable.class,
    BranchedKStream.class, TimeWindowedKStream.class, SessionWindowedKStream.class, CogroupedKStream.class,
    TimeWindowedCogroupedKStream.class, SessionWindowedCogroupedKStream.class
  };

  private Methods() {}

  static Map<String, Object> all() {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Class<?> each : DSL) {
      TreeSet<String> names = new TreeSet<>();
      for (Method method : each.getMethods()) {
        if (method.getDeclaringClass() != Object.class) {
          names.add(method.getName());
        }
      }
      out.put(each.getSimpleName(), names);
    }
    return out;
  }
}
