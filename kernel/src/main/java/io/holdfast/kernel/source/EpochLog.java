package io.holdfast.kernel.source;

import io.holdfast.kernel.errors.FencedException;
import io.holdfast.kernel.errors.KernelError;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records where each epoch of an app ends, in a topic, before any output of the epoch is written.
 *
 * <p>A run that begins from an older copy of its checkpoint finds the epochs here that ran since, and ends its batches where those ended,
 * until it has caught up: so each of its epochs has the same output as the epoch of that number had, which the sink recognises by the number.
 * Lives on the driver.
 */
public final class EpochLog {
  private static final Logger LOG = LoggerFactory.getLogger(EpochLog.class);
  private static final long FEW = 10_000;
  /** How many of the epochs that are to be repeated are in memory. */
  private static final int AT_ONCE = 10_000;
  private static final Map<String, EpochLog> OPEN = new ConcurrentHashMap<>();

  /**
   * An epoch that has begun, as the sink needs it.
   *
   * @param digest of where it ends
   * @param repeated whether it has run before, with the same ends
   */
  public record BegunEpoch(String digest, boolean repeated) {}

  private final String app;
  private final String program;
  private final EpochTopic topic;
  private final CheckpointOffsets checkpoint;
  private final boolean topicsOnly;
  private final long term;
  /** The offset of the next record, as long as no other instance writes. */
  private long next;
  private final KafkaProducer<byte[], byte[]> producer;
  /** The epochs from the last one of the checkpoint on; when all are repeated, the last that has begun. */
  private RecordedEpochs recorded;
  /** The query that ran last; null if there was none. */
  private final String newest;
  /** The last epoch that the checkpoint had begun at the start, and its end; -1 and null if there was none. */
  private final long last;
  private final String base;
  private volatile boolean catchingUp;
  /** The last epoch that was begun. */
  private long begun;
  private long appended;

  private EpochLog(String app, String program, EpochTopic topic, CheckpointOffsets checkpoint, boolean topicsOnly) {
    this.app = app;
    this.program = program;
    this.topicsOnly = topicsOnly;
    this.last = checkpoint.last();
    this.topic = topic;
    this.checkpoint = checkpoint;
    this.producer = topic.producer();
    EpochTopic.Tail tail;
    do {
      tail = topic.from(checkpoint.query(), last, AT_ONCE);
      next = append(EpochEnds.start(tail.term() + 1));
      // Records that another instance has appended since are read, too: from now on it notices that this one has started.
    } while (next++ != tail.end());
    this.term = tail.term() + 1;
    this.recorded = tail.epochs();
    this.newest = tail.newest();
    this.base = last < 0 ? null : checkpoint.of(last).get(0);
    this.begun = last;
    this.catchingUp = isFollowed(last);
  }

  /**
   * Opens the log of an app that starts.
   *
   * @param kafka settings of clients
   * @param program the name of the program, in its mode
   * @param topicsOnly whether all sources are topics, whose batches can end at any offset
   * @return how many epochs have begun since the checkpoint was copied; they are repeated
   */
  public static int open(
      String app, String program, String topicName, Map<String, String> kafka, String checkpointUri, boolean topicsOnly) {
    close(app);
    CheckpointOffsets checkpoint = new CheckpointOffsets(checkpointUri, new Configuration());
    EpochLog log = new EpochLog(app, program, new EpochTopic(topicName, kafka), checkpoint, topicsOnly);
    try {
      int missed = log.missed();
      OPEN.put(app, log);
      return missed;
    } catch (RuntimeException | Error refused) {
      log.producer.close();
      throw refused;
    }
  }

  /** How many epochs have begun since the checkpoint was copied; refused if they cannot be repeated. */
  private int missed() {
    if (newest != null && checkpoint.query() != null && !newest.equals(checkpoint.query())) {
      throw MissedEpochs.ofAnotherCheckpoint(app);
    }
    if (!recorded.isFollowed(last)) {
      retain();
      return 0;
    }
    if (recorded.contains(last)) {
      checkEnds(recorded.get(last, topic), checkpoint.of(last));
    }
    new MissedEpochs(app, last, recorded).check(checkpoint, topic, topicsOnly, program);
    LOG.warn("app {}: its checkpoint is an older copy that ends with epoch {}; epochs {} to {} are repeated with the ends that they had",
        app, last, last + 1, recorded.last().epoch());
    return Math.toIntExact(recorded.last().epoch() - last);
  }

  public static void close(String app) {
    EpochLog log = OPEN.remove(app);
    if (log != null) {
      log.producer.close();
    }
  }

  /** The log of an app, or null if it has none. */
  public static EpochLog of(String app) {
    return app == null ? null : OPEN.get(app);
  }

  /** Whether an app has still to repeat epochs. */
  public static boolean isRepeating(String app) {
    EpochLog log = of(app);
    return log != null && log.isFollowed();
  }

  private synchronized boolean isFollowed() {
    return isFollowed(begun);
  }

  /** Records an epoch that is about to run; one that ran before must end where it did. */
  public synchronized BegunEpoch begin(String query, long epoch, int width) {
    begun = epoch;
    EpochEnds now = new EpochEnds(query, epoch, term, program, width, checkpoint.of(epoch));
    EpochEnds before = recorded.get(epoch, topic);
    if (before != null) {
      checkEnds(before, now.ends());
      checkWidth(before, width);
      if (!before.program().equals(program)) {
        record(now);
      }
      recorded.dropBefore(epoch);
      catchingUp = isFollowed(epoch);
      return new BegunEpoch(before.digest(), true);
    }
    record(now);
    catchingUp = false;
    recorded = RecordedEpochs.of(now);
    return new BegunEpoch(now.digest(), false);
  }

  private static void checkEnds(EpochEnds before, List<String> ends) {
    if (!before.endsWhere(ends)) {
      throw new KernelError("", "", "epoch " + before.epoch() + " ran before and ended at " + before.ends() + ", but in this checkpoint it ends at "
          + ends + ". " + MissedEpochs.REMEDIES);
    }
  }

  private static void checkWidth(EpochEnds before, int width) {
    if (before.width() > 0 && before.width() != width) {
      throw new KernelError("", "", "epoch " + before.epoch() + " ran before with " + before.width() + " sink partitions, and now has " + width
          + ": what is written of it would not fit. Start the app once with spark.sql.shuffle.partitions=" + before.width());
    }
  }

  /** The number of sink partitions of the first epoch that is to be repeated; 0 if there is none, or it is not known. */
  public static int width(String app) {
    EpochLog log = of(app);
    EpochEnds first = log == null ? null : log.recorded.get(log.last + 1, log.topic);
    return first == null ? 0 : first.width();
  }

  /** How far an epoch read each topic: whoever wrote a record before that can read its effect. Empty if it is not recorded. */
  public synchronized Map<String, Map<Integer, Long>> readEnds(long epoch) {
    EpochEnds ends = recorded.get(epoch, topic);
    return ends == null ? Map.of() : ends.read();
  }

  /** Whether an epoch was followed by others when it ran first: replicas have those already. */
  public synchronized boolean isFollowed(long epoch) {
    return recorded.isFollowed(epoch);
  }

  /** Where the batch ended that began at an offset, or null if none did. */
  String endAfter(String start) {
    return catchingUp ? recordedEndAfter(start) : null;
  }

  private synchronized String recordedEndAfter(String start) {
    String expected = begun == last ? base : recorded.get(begun, topic).ends().get(0);
    // The checkpoint may end with the ticks of a drain, and this run may not use ticks.
    if (expected != null && !EpochEnds.same(expected, start) && !EpochEnds.same(TickOffset.of(expected).kafka, start)) {
      throw new KernelError("", "", "the checkpoint is an older copy, and its next batch begins at " + start + ", but epoch " + begun + " ended at "
          + expected + ". " + MissedEpochs.REMEDIES);
    }
    return endOf(begun + 1);
  }

  private String endOf(long epoch) {
    EpochEnds ends = recorded.get(epoch, topic);
    if (ends != null && !ends.program().equals(program)) {
      throw MissedEpochs.ofAnotherProgram(app, epoch);
    }
    return ends == null ? null : ends.ends().get(0);
  }

  /** Appends an epoch; fails if another instance has started since: before any output of the epoch is written. */
  private void record(EpochEnds ends) {
    long at = append(ends);
    // An older instance may have recorded an epoch, too, before it noticed.
    if (at != next && topic.highestTerm(next, at) > term) {
      throw new FencedException("epoch " + ends.epoch() + " was not begun: another instance has written to the topic " + topic.name(), null);
    }
    next = at + 1;
    if (++appended % FEW == 0) {
      retain();
    }
  }

  private void retain() {
    if (topicsOnly) {
      new EpochRetention(topic, FEW).apply();
    }
  }

  /** Returns the offset of the record. */
  private long append(EpochEnds ends) {
    try {
      return producer.send(new ProducerRecord<>(topic.name(), 0, null, ends.bytes())).get().offset();
    } catch (ExecutionException failed) {
      throw new KafkaException("could not record where epoch " + ends.epoch() + " ends: " + failed.getCause().getMessage(), failed.getCause());
    } catch (InterruptedException stopped) {
      throw new org.apache.kafka.common.errors.InterruptException(stopped);
    }
  }
}
