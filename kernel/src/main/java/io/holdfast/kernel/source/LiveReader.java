package io.holdfast.kernel.source;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/** Gives what comes of records as soon as they are there; it ends when its time is over and all of it has been given. */
final class LiveReader implements SupportsRealTimeRead<InternalRow> {
  /** How long it waits before it looks whether it is over. */
  private static final Duration WAIT = Duration.ofMillis(50);
  /** How often tasks hear how far the topics are. */
  private static final long TELL_MILLIS = 250;

  private final LivePartition partition;
  private final Ingest ingest;
  private final LiveConsumer consumer;
  private final UnsafeRowWriter writer = new UnsafeRowWriter(1, 256);
  private final List<RawRecord> records = new ArrayList<>();
  private final List<byte[]> payloads = new ArrayList<>();
  private int next = -1;
  private long told = System.currentTimeMillis();
  private boolean news;
  private boolean behind;
  private boolean ended;

  LiveReader(LivePartition partition, Ingest ingest) {
    this.partition = partition;
    this.ingest = ingest;
    this.consumer = LiveConsumer.of(partition);
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
    if (behind) {
      LivePositions.put(partition.query(), consumer.positions());
      behind = false;
    }
    if (partition.isOver()) {
      ended = true;
      ingest.finish(payloads::add);
      return;
    }
    ConsumerRecords<byte[], byte[]> found = consumer.poll(WAIT);
    if (!found.isEmpty()) {
      run(found);
      news = true;
      behind = true;
    }
    if (news && System.currentTimeMillis() - told >= TELL_MILLIS) {
      ingest.finish(payloads::add);
      told = System.currentTimeMillis();
      news = false;
    }
  }

  private void run(ConsumerRecords<byte[], byte[]> found) {
    records.clear();
    for (ConsumerRecord<byte[], byte[]> r : found) {
      records.add(new RawRecord(r.topic(), r.partition(), r.offset(), r.timestamp(), r.key(), r.value(),
          partition.headers() ? KafkaRecords.headers(r) : null));
    }
    ingest.run(records, payloads::add);
    ingest.flush(payloads::add);
  }

  @Override
  public boolean next() {
    return nextWithTimeout(Long.MAX_VALUE).hasRecord();
  }

  @Override
  public InternalRow get() {
    writer.reset();
    writer.zeroOutNullBytes();
    writer.write(0, payloads.get(next));
    return writer.getRow();
  }

  @Override
  public PartitionOffset getOffset() {
    HashMap<TopicPartition, Long> reached = consumer.positions();
    return new LiveOffset(reached);
  }

  @Override
  public void close() {
    try {
      ingest.close();
    } finally {
      if (ended && !Brake.isOn(partition.query())) {
        consumer.keep();
      } else {
        consumer.close();
      }
    }
  }
}
