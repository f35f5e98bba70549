package io.holdfast.kernel.source;

import io.holdfast.kernel.records.RawRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/** Reads partitions in real-time mode and hands on payloads at once; it ends with the epoch, when all of them have been handed on. */
final class LiveReader implements SupportsRealTimeRead<InternalRow> {
  /** How long it waits for records before it checks for the end of the epoch. */
  private static final Duration WAIT = Duration.ofMillis(50);
  private static final Duration SHORT = Duration.ofMillis(1);
  private static final long MERGE_TIMEOUT_NANOS = 100_000_000L;
  /** How often tasks get the time of the topics. */
  private static final long TICK_MILLIS = 250;
  private static final long MOST_AT_ONCE = 256 << 10;

  private final LivePartition partition;
  private final Ingest ingest;
  private final LiveConsumer consumer;
  private final LiveMerge merge;
  private final PollThrottle throttle = new PollThrottle();
  private final PayloadRow row = new PayloadRow(256);
  private final List<RawRecord> records = new ArrayList<>();
  private final List<byte[]> payloads = new ArrayList<>();
  private int next = -1;
  private long tickedAt = System.currentTimeMillis();
  private boolean tickDue;
  private boolean positionsDue;
  private long takenAt = System.nanoTime();
  private boolean ended;

  LiveReader(LivePartition partition, Ingest ingest) {
    this.partition = partition;
    this.ingest = ingest;
    this.consumer = LiveConsumer.of(partition);
    this.merge = new LiveMerge(partition.from().keySet(), partition.tables(), partition.limits());
    LivePositions.put(partition.query(), partition.from());
  }

  @Override
  public RecordStatus nextWithTimeout(Long timeout) {
    while (++next >= payloads.size()) {
      payloads.clear();
      next = -1;
      if (ended) {
        return RecordStatus.newStatusWithoutArrivalTime(false);
      }
      read();
    }
    return RecordStatus.newStatusWithoutArrivalTime(true);
  }

  private void read() {
    TaskContext.get().killTaskIfInterrupted();
    if (positionsDue && merge.isEmpty()) {
      LivePositions.put(partition.query(), consumer.positions());
      positionsDue = false;
    }
    if (partition.isOver()) {
      ended = true;
      run(merge.take(p -> false));
      ingest.finish(payloads::add);
      return;
    }
    pause();
    ConsumerRecords<byte[], byte[]> polled = consumer.poll(merge.isEmpty() ? WAIT : SHORT);
    polled.forEach(merge::add);
    throttle.polled(polled.count());
    // A partition that has more records but does not deliver them does not delay the others for long.
    boolean waited = System.nanoTime() - takenAt > MERGE_TIMEOUT_NANOS;
    run(merge.take(p -> !waited && consumer.hasMore(p)));
    if (tickDue && System.currentTimeMillis() - tickedAt >= TICK_MILLIS) {
      ingest.finish(payloads::add);
      LivePositions.ends(partition.query(), consumer.ends());
      tickedAt = System.currentTimeMillis();
      tickDue = false;
    }
  }

  private void pause() {
    long nanos = throttle.rest();
    if (nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  private void run(List<ConsumerRecord<byte[], byte[]>> found) {
    takenAt = found.isEmpty() && !merge.isEmpty() ? takenAt : System.nanoTime();
    if (found.isEmpty()) {
      return;
    }
    tickDue = true;
    positionsDue = true;
    long size = 0;
    for (ConsumerRecord<byte[], byte[]> r : found) {
      records.add(new RawRecord(r.topic(), r.partition(), r.offset(), r.timestamp(), r.key(), r.value(),
          partition.headers() ? KafkaRecords.headers(r) : null));
      size += Math.max(0, r.serializedKeySize()) + Math.max(0, r.serializedValueSize());
      if (size >= MOST_AT_ONCE) {
        runPart();
        size = 0;
      }
    }
    runPart();
  }

  /** Each node processes all records of a part before the next node: the tasks get the results together, and sort them. */
  private void runPart() {
    ingest.run(records, payloads::add);
    ingest.flush(payloads::add);
    records.clear();
  }

  @Override
  public boolean next() {
    return nextWithTimeout(Long.MAX_VALUE).hasRecord();
  }

  @Override
  public InternalRow get() {
    return row.of(payloads.get(next));
  }

  @Override
  public PartitionOffset getOffset() {
    HashMap<TopicPartition, Long> reached = consumer.positions();
    return new LiveOffset(reached, new HashMap<>());
  }

  @Override
  public void close() {
    try {
      ingest.close();
    } finally {
      if (ended && !AdmissionGate.isClosed(partition.query())) {
        consumer.release();
      } else {
        consumer.close();
      }
    }
  }
}
