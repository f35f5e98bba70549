package io.holdfast.judge;

import static io.holdfast.judge.Expr.list;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;

/** Operations on one record at a time; a record on which an expression fails is refused, and nothing comes of it. */
final class Stateless {
  private final Drops drops;

  Stateless(Drops drops) {
    this.drops = drops;
  }

  /** Keeps keys: gives the values that come of a record. */
  KStream<Object, Object> values(KStream<Object, Object> in, Function<Map<String, Object>, List<Object>> f) {
    return in.processValues(() -> new ContextualFixedKeyProcessor<Object, Object, Object>() {
      @Override
      public void process(FixedKeyRecord<Object, Object> r) {
        String topic = context().recordMetadata().map(m -> m.topic()).orElse(null);
        Map<String, Object> scope = Scope.record(r.key(), r.value(), r.timestamp(), r.headers(), topic);
        guarded(f, scope).forEach(value -> context().forward(r.withValue(value)));
      }
    });
  }

  /** Changes keys: gives the pairs of key and value that come of a record. */
  KStream<Object, Object> pairs(
      KStream<Object, Object> in, Function<Map<String, Object>, List<KeyValue<Object, Object>>> f) {
    return in.process(() -> new ContextualProcessor<Object, Object, Object, Object>() {
      @Override
      public void process(Record<Object, Object> r) {
        String topic = context().recordMetadata().map(m -> m.topic()).orElse(null);
        Map<String, Object> scope = Scope.record(r.key(), r.value(), r.timestamp(), r.headers(), topic);
        guarded(f, scope).forEach(pair -> context().forward(r.withKey(pair.key).withValue(pair.value)));
      }
    });
  }

  private <T> List<T> guarded(Function<Map<String, Object>, List<T>> f, Map<String, Object> scope) {
    try {
      return f.apply(scope);
    } catch (ArithmeticException | NumberFormatException | IndexOutOfBoundsException failure) {
      drops.failed();
      return List.of();
    }
  }

  KStream<Object, Object> filter(KStream<Object, Object> in, Object predicate, boolean keep) {
    return values(in, scope -> Expr.test(Expr.map(predicate), scope) == keep ? one(scope.get("value")) : List.of());
  }

  KStream<Object, Object> mapValues(KStream<Object, Object> in, Object value) {
    return values(in, scope -> one(Expr.eval(Expr.map(value), scope)));
  }

  KStream<Object, Object> flatMapValues(KStream<Object, Object> in, Object items) {
    return values(in, scope -> items(Expr.eval(Expr.map(items), scope)));
  }

  KStream<Object, Object> map(KStream<Object, Object> in, Object key, Object value) {
    return pairs(in, scope -> List.of(KeyValue.pair(Expr.eval(Expr.map(key), scope), Expr.eval(Expr.map(value), scope))));
  }

  KStream<Object, Object> selectKey(KStream<Object, Object> in, Object key) {
    return pairs(in, scope -> List.of(KeyValue.pair(Expr.eval(Expr.map(key), scope), scope.get("value"))));
  }

  KStream<Object, Object> flatMap(KStream<Object, Object> in, Object items) {
    return pairs(in, scope -> {
      List<KeyValue<Object, Object>> out = new ArrayList<>();
      items(Expr.eval(Expr.map(items), scope))
          .forEach(pair -> out.add(KeyValue.pair(Expr.map(pair).get("key"), Expr.map(pair).get("value"))));
      return out;
    });
  }

  /** Only the records on which an expression gives a value. */
  KStream<Object, Object> having(KStream<Object, Object> in, Object expression) {
    return values(in, scope -> {
      if (Expr.eval(Expr.map(expression), scope) == null) {
        drops.failed();
        return List.of();
      }
      return one(scope.get("value"));
    });
  }

  /** Only the records on which an expression does not fail. */
  KStream<Object, Object> evaluable(KStream<Object, Object> in, Object expression) {
    return values(in, scope -> {
      Expr.eval(Expr.map(expression), scope);
      return one(scope.get("value"));
    });
  }

  /** The same records with more headers; one that is there already is replaced. */
  KStream<Object, Object> headed(KStream<Object, Object> in, Object headers) {
    return in.processValues(() -> new ContextualFixedKeyProcessor<Object, Object, Object>() {
      @Override
      public void process(FixedKeyRecord<Object, Object> r) {
        Map<String, Object> scope = Scope.record(r.key(), r.value(), r.timestamp(), r.headers(), null);
        Headers all = new RecordHeaders(r.headers());
        Object made = Expr.eval(Expr.map(headers), scope);
        (made == null ? Map.<String, Object>of() : Expr.map(made)).forEach((name, value) -> all.remove(name).add(
            name, value == null ? null : value.toString().getBytes(StandardCharsets.UTF_8)));
        context().forward(r.withHeaders(all));
      }
    });
  }

  /** Only the records on which the predicates of a split, up to the first that is true, do not fail. */
  KStream<Object, Object> splittable(KStream<Object, Object> in, List<Object> branches) {
    return values(in, scope -> {
      branches.stream().anyMatch(branch -> Expr.test(Expr.map(Expr.map(branch).get("predicate")), scope));
      return one(scope.get("value"));
    });
  }

  private static List<Object> one(Object value) {
    return Collections.singletonList(value);
  }

  private static List<Object> items(Object array) {
    return array == null ? List.of() : list(array);
  }
}
