package io.holdfast.kernel.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.TaskContext;

/** The idle consumers of this process, by partition; one that is idle for too long is closed. */
final class ConsumerPool {
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final Map<Key, ArrayDeque<Idle>> IDLE = new HashMap<>();
  private static ScheduledExecutorService cleaner;

  private record Key(TopicPartition partition, Map<String, Object> settings) {}

  private record Idle(PartitionConsumer consumer, long since) {}

  private ConsumerPool() {}

  /** A consumer of the partition, for one reader at a time. */
  static PartitionConsumer take(TopicPartition partition, Map<String, Object> settings) {
    Idle found;
    synchronized (IDLE) {
      ArrayDeque<Idle> waiting = IDLE.get(new Key(partition, settings));
      found = waiting == null ? null : waiting.poll();
    }
    if (found != null && isAnotherAttempt()) {
      close(found.consumer);
      found = null;
    }
    return found == null ? new PartitionConsumer(partition, settings) : found.consumer;
  }

  /** A further attempt of a task reuses no consumer. */
  private static boolean isAnotherAttempt() {
    TaskContext context = TaskContext.get();
    return context != null && context.attemptNumber() > 0;
  }

  static void giveBack(PartitionConsumer consumer, Map<String, Object> settings) {
    synchronized (IDLE) {
      IDLE.computeIfAbsent(new Key(consumer.partition, settings), k -> new ArrayDeque<>())
          .push(new Idle(consumer, System.nanoTime()));
      if (cleaner == null) {
        cleaner = Executors.newSingleThreadScheduledExecutor(ConsumerPool::daemon);
        cleaner.scheduleWithFixedDelay(ConsumerPool::closeIdle, 1, 1, TimeUnit.MINUTES);
      }
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "holdfast-idle-consumers");
    thread.setDaemon(true);
    return thread;
  }

  private static void closeIdle() {
    List<PartitionConsumer> old = new ArrayList<>();
    long now = System.nanoTime();
    synchronized (IDLE) {
      for (Iterator<ArrayDeque<Idle>> all = IDLE.values().iterator(); all.hasNext();) {
        ArrayDeque<Idle> waiting = all.next();
        while (!waiting.isEmpty() && now - waiting.peekLast().since > IDLE_NANOS) {
          old.add(waiting.pollLast().consumer);
        }
        if (waiting.isEmpty()) {
          all.remove();
        }
      }
    }
    old.forEach(ConsumerPool::close);
  }

  /** Closes a consumer and ignores failures of that. */
  static void close(PartitionConsumer consumer) {
    try {
      consumer.close();
    } catch (RuntimeException e) {
      // The failure that led here is the one that is reported.
    }
  }
}
