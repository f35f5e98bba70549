package io.holdfast.kernel.source;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/** Spark's stream of the topics with Holdfast's readers, and with batches that end at one time in all topics. */
final class SourceStream implements MicroBatchStream, SupportsTriggerAvailableNow, SupportsRealTimeMode, ReportsSourceMetrics {
  private final MicroBatchStream kafka;
  private final SupportsTriggerAvailableNow limits;
  private final ReportsSourceMetrics metrics;
  private final String program;
  private final SourceConfig config;
  private final KafkaLog log;
  private final Alignment alignment;
  private final BrokerWait brokerWait = new BrokerWait("the offsets of the next epoch");
  private final TickSchedule ticks;
  private final LiveStream live;
  private final boolean mayReadTogether;
  private boolean realTime;
  private boolean draining;
  private boolean looked;
  /** Topics with records that the next batch does not take yet. */
  private Set<String> waiting = Set.of();

  SourceStream(MicroBatchStream kafka, String program, SourceConfig config) {
    this.kafka = kafka;
    this.limits = (SupportsTriggerAvailableNow) kafka;
    this.metrics = (ReportsSourceMetrics) kafka;
    this.program = program;
    this.config = config;
    this.ticks = new TickSchedule(config, System::currentTimeMillis);
    this.live = new LiveStream(config, ticks);
    // On a cluster a partition has its consumer, with prefetched records, on one of the executors.
    this.mayReadTogether = SparkSession.active().sparkContext().isLocal()
        && !IngestProgramCodec.decode(program, IngestProgramCodec.digest(program)).callsPython();
    WallClockTimers.forget(config.query());
    this.log = new KafkaLog(config.consumer(), config.limits());
    this.alignment = new Alignment(log, config.topics(), config.tables(), config.maxRecords(), config.maxBytes(), config.limits()::isRefused);
  }

  @Override
  public Offset initialOffset() {
    return kafka.initialOffset();
  }

  @Override
  public Offset latestOffset() {
    return kafka.latestOffset();
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    if (realTime) {
      live.parkWhileClosed();
    }
    if (AdmissionGate.isClosed(config.query())) {
      return start;
    }
    try {
      Offset end = realTime ? liveOffset(start) : nextOffset(start);
      brokerWait.over();
      return end;
    } catch (Exception failure) {
      if (brokerWait.explains(failure)) {
        return start;
      }
      throw failure;
    }
  }

  /** The recorded end of a repeated batch; else one time in all topics. */
  private Offset nextOffset(Offset start) {
    EpochLog epochs = EpochLog.of(config.query());
    String recorded = epochs == null ? null : epochs.endAfter(start.json());
    if (recorded != null) {
      // A drain ends with the offsets of its first look; Spark's own stream refuses ends with fewer partitions than that.
      if (!draining) {
        looked = true;
        limits.latestOffset(plain(start), ReadLimit.allAvailable());
      }
      return deserializeOffset(recorded);
    }
    return ticks.isOn() ? tickedOffset(start) : alignedOffset(start);
  }

  /** The end of a batch in real-time mode is not known; Spark's own stream looks for new partitions here. */
  private Offset liveOffset(Offset start) {
    looked = true;
    limits.latestOffset(plain(start), ReadLimit.allAvailable());
    return start;
  }

  private Offset tickedOffset(Offset start) {
    TickOffset from = TickOffset.of(start.json());
    Offset end = alignedOffset(kafka.deserializeOffset(from.kafka));
    TickOffset ticked = ticks.end(from, end == null ? from.kafka : end.json(), waiting);
    return ticked == from ? start : ticked;
  }

  /** Kafka's part of an offset. */
  private Offset plain(Offset offset) {
    return ticks.isOn() ? kafka.deserializeOffset(TickOffset.of(offset.json()).kafka) : offset;
  }

  private Offset alignedOffset(Offset start) {
    looked = true;
    Offset latest = limits.latestOffset(start, ReadLimit.allAvailable());
    if (latest == null) {
      waiting = Set.of();
      return null;
    }
    Map<TopicPartition, Long> all = OffsetJson.of(latest);
    Map<TopicPartition, Long> chosen = alignment.ends(OffsetJson.of(start), all);
    waiting = chosen == all ? Set.of() : TickSchedule.changed(OffsetJson.json(chosen), latest.json());
    return chosen == all ? latest : kafka.deserializeOffset(OffsetJson.json(chosen));
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return limits.getDefaultReadLimit();
  }

  @Override
  public Offset reportLatestOffset() {
    // Spark's own stream fails if no offsets were requested yet, because the gate is closed.
    return looked ? limits.reportLatestOffset() : null;
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    limits.prepareForTriggerAvailableNow();
    draining = true;
    ticks.drain();
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    InputPartition[] ranges = ticks.clocked(kafka.planInputPartitions(plain(start), plain(end)), end);
    InputPartition[] all = ranges;
    if (ticks.sendsTicks()) {
      all = Arrays.copyOf(ranges, ranges.length + 1, InputPartition[].class);
      all[ranges.length] = ticks.partition(end);
    }
    return mayReadTogether ? SmallBatch.together(all) : all;
  }

  @Override
  public void prepareForRealTimeMode() {
    realTime = true;
    ((SupportsRealTimeMode) kafka).prepareForRealTimeMode();
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start) {
    return live.partitions(((SupportsRealTimeMode) kafka).planInputPartitions(plain(start)), TickOffset.of(start.json()).arrived);
  }

  @Override
  public Offset mergeOffsets(PartitionOffset[] offsets) {
    return deserializeOffset(LiveOffset.merged(offsets));
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new SourceReaderFactory(program, config.consumer());
  }

  @Override
  public Offset deserializeOffset(String json) {
    return ticks.isOn() ? TickOffset.of(json) : kafka.deserializeOffset(TickOffset.of(json).kafka);
  }

  @Override
  public void commit(Offset end) {
    kafka.commit(plain(end));
  }

  @Override
  public void stop() {
    log.close();
    kafka.stop();
  }

  @Override
  public Map<String, String> metrics(Optional<Offset> latestConsumedOffset) {
    return metrics.metrics(latestConsumedOffset.map(this::plain));
  }

  @Override
  public String toString() {
    return kafka.toString();
  }
}
