package io.holdfast.kernel.sink;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;

/** The idle producers of this process, by settings; one that is in use is not in the pool. */
final class ProducerPool {
  private static final long IDLE_NANOS = Duration.ofMinutes(5).toNanos();
  private static final Map<Map<String, Object>, Deque<Idle>> IDLE = new HashMap<>();

  private record Idle(KafkaProducer<byte[], byte[]> producer, long since) {}

  private ProducerPool() {}

  static KafkaProducer<byte[], byte[]> take(Map<String, Object> settings) {
    synchronized (IDLE) {
      closeOlderThan(IDLE_NANOS);
      Deque<Idle> idle = IDLE.get(settings);
      if (idle != null && !idle.isEmpty()) {
        return idle.pop().producer;
      }
    }
    return new KafkaProducer<>(new HashMap<>(settings));
  }

  static void give(Map<String, Object> settings, KafkaProducer<byte[], byte[]> producer) {
    synchronized (IDLE) {
      IDLE.computeIfAbsent(settings, key -> new ArrayDeque<>()).push(new Idle(producer, System.nanoTime()));
    }
  }

  static void discard(KafkaProducer<byte[], byte[]> producer) {
    producer.close(Duration.ZERO);
  }

  static void closeIdle() {
    synchronized (IDLE) {
      closeOlderThan(-1);
    }
  }

  private static void closeOlderThan(long nanos) {
    long now = System.nanoTime();
    for (Deque<Idle> idle : IDLE.values()) {
      for (Iterator<Idle> each = idle.iterator(); each.hasNext();) {
        Idle one = each.next();
        if (now - one.since > nanos) {
          each.remove();
          discard(one.producer);
        }
      }
    }
  }
}
