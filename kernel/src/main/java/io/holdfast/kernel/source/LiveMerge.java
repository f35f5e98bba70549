package io.holdfast.kernel.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Merges the records of several partitions by time, tables before streams: while a partition that has more records has none here, the others
 * wait for it.
 */
final class LiveMerge {
  private final Map<TopicPartition, Queue> queues = new HashMap<>();
  private final Comparator<Queue> first;
  private final TimeLimits limits;
  private int size;

  /** The records of a partition; its time never goes back, and times that are refused do not advance it. */
  private final class Queue {
    final TopicPartition partition;
    final boolean table;
    final ArrayDeque<ConsumerRecord<byte[], byte[]>> records = new ArrayDeque<>();
    long reached = Long.MIN_VALUE;

    Queue(TopicPartition partition, boolean table) {
      this.partition = partition;
      this.table = table;
    }

    /** The time of the next record for the merge. */
    long time() {
      long time = records.peek().timestamp();
      return limits.isRefused(partition.topic(), time) ? reached : Math.max(reached, time);
    }
  }

  LiveMerge(Collection<TopicPartition> partitions, Set<String> tables, TimeLimits limits) {
    this.limits = limits;
    partitions.forEach(p -> queues.put(p, new Queue(p, tables.contains(p.topic()))));
    first = Comparator.comparingLong(Queue::time).thenComparing(q -> !q.table).thenComparing(q -> q.partition.topic())
        .thenComparingInt(q -> q.partition.partition());
  }

  void add(ConsumerRecord<byte[], byte[]> record) {
    queues.get(new TopicPartition(record.topic(), record.partition())).records.add(record);
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /**
   * Returns and removes the records that need not wait, in order.
   *
   * @param hasMore whether there is more of a partition that has not been read
   */
  List<ConsumerRecord<byte[], byte[]>> take(Predicate<TopicPartition> hasMore) {
    List<ConsumerRecord<byte[], byte[]>> out = new ArrayList<>(size);
    boolean complete = queues.values().stream().allMatch(q -> !q.records.isEmpty() || !hasMore.test(q.partition));
    while (size > 0 && complete) {
      Queue next = null;
      for (Queue q : queues.values()) {
        next = q.records.isEmpty() || next != null && first.compare(next, q) <= 0 ? next : q;
      }
      next.reached = next.time();
      out.add(next.records.poll());
      size--;
      complete = !next.records.isEmpty() || !hasMore.test(next.partition);
    }
    return out;
  }
}
