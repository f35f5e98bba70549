package io.holdfast.kernel.source;

import io.holdfast.kernel.task.KernelError;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * Where each epoch of an app ends, recorded in a topic before anything of the epoch is written.
 *
 * <p>A run that begins from an older copy of its checkpoint finds the epochs here that ran since, and cuts its batches where they
 * were cut, until it has caught up: so each of its epochs gives what the epoch of that number gave, and what was written of it is
 * known by its number. Lives on the driver.
 */
public final class EpochLog {
  private static final long FEW = 10_000;
  private static final Map<String, EpochLog> OPEN = new ConcurrentHashMap<>();

  /**
   * What a sink has to know of an epoch.
   *
   * @param digest of where it ends
   * @param repeated whether it has run before, with the same ends
   */
  public record Place(String digest, boolean repeated) {}

  private final EpochTopic topic;
  private final CheckpointOffsets checkpoint;
  private final boolean topicsOnly;
  private final long term;
  private final KafkaProducer<byte[], byte[]> producer;
  /** From the last epoch of the checkpoint on. */
  private final NavigableMap<Long, EpochEnds> recorded;
  /** The last epoch that the checkpoint had begun at the start, and its end; -1 and null if there was none. */
  private final long last;
  private final String base;
  private volatile boolean catchingUp;
  private long appended;

  private EpochLog(EpochTopic topic, CheckpointOffsets checkpoint, EpochTopic.Tail tail, boolean topicsOnly) {
    this.topicsOnly = topicsOnly;
    this.last = checkpoint.last();
    this.topic = topic;
    this.checkpoint = checkpoint;
    this.term = tail.term() + 1;
    this.recorded = tail.epochs();
    this.base = last < 0 ? null : checkpoint.of(last).get(0);
    this.catchingUp = recorded.higherKey(last) != null;
    this.producer = topic.producer();
  }

  /**
   * Opens the log of an app that starts.
   *
   * @param kafka settings of clients
   * @param topicsOnly whether all sources are topics, whose batches can be cut anywhere
   * @return how many epochs were begun since the checkpoint was copied; they are repeated
   */
  public static int open(String app, String topicName, Map<String, String> kafka, String checkpointUri, boolean topicsOnly) {
    close(app);
    CheckpointOffsets checkpoint = new CheckpointOffsets(checkpointUri, new Configuration());
    EpochTopic topic = new EpochTopic(topicName, kafka);
    long last = checkpoint.last();
    EpochTopic.Tail tail = topic.from(checkpoint.query(), last);
    NavigableMap<Long, EpochEnds> missed = tail.epochs().tailMap(last, false);
    if (!missed.isEmpty()) {
      new MissedEpochs(app, last, missed).check(checkpoint, topic, topicsOnly);
    }
    EpochLog log = new EpochLog(topic, checkpoint, tail, topicsOnly);
    if (missed.isEmpty()) {
      log.retain();
    }
    log.append(EpochEnds.begun(log.term));
    OPEN.put(app, log);
    return missed.size();
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

  /** Records an epoch that is about to run; one that ran before must end where it did. */
  public synchronized Place begin(String query, long epoch) {
    List<String> ends = checkpoint.of(epoch);
    EpochEnds before = recorded.get(epoch);
    if (before != null) {
      if (!before.endsWhere(ends)) {
        throw new KernelError("", "", "epoch " + epoch + " ran before and ended at " + before.ends() + ", but now it would end at " + ends
            + ". " + MissedEpochs.WAYS_ON);
      }
      recorded.headMap(epoch, false).clear();
      return new Place(before.digest(), true);
    }
    EpochEnds now = new EpochEnds(query, epoch, term, ends);
    append(now);
    if (++appended % FEW == 0) {
      retain();
    }
    catchingUp = false;
    recorded.clear();
    recorded.put(epoch, now);
    return new Place(now.digest(), false);
  }

  /** Whether an epoch was followed by others when it ran first: who reads along knows later ones already. */
  public synchronized boolean isFollowed(long epoch) {
    return recorded.higherKey(epoch) != null;
  }

  /** Where the batch ended that began at an offset, or null if none did. */
  String endAfter(String start) {
    return catchingUp ? recordedEndAfter(start) : null;
  }

  private synchronized String recordedEndAfter(String start) {
    for (EpochEnds epoch : recorded.values()) {
      if (EpochEnds.same(epoch.ends().get(0), start)) {
        return endOf(epoch.epoch() + 1);
      }
    }
    if (base != null && !EpochEnds.same(base, start)) {
      throw new KernelError("", "", "the checkpoint is an older copy, and its next batch begins at " + start
          + ", where none has begun before. " + MissedEpochs.WAYS_ON);
    }
    return endOf(last + 1);
  }

  private String endOf(long epoch) {
    EpochEnds ends = recorded.get(epoch);
    return ends == null ? null : ends.ends().get(0);
  }

  private void retain() {
    if (topicsOnly) {
      new EpochRetention(topic, FEW).apply();
    }
  }

  private void append(EpochEnds ends) {
    try {
      producer.send(new ProducerRecord<>(topic.name(), 0, null, ends.bytes())).get();
    } catch (ExecutionException failed) {
      throw new KafkaException("could not record where epoch " + ends.epoch() + " ends: " + failed.getCause().getMessage(), failed.getCause());
    } catch (InterruptedException stopped) {
      throw new org.apache.kafka.common.errors.InterruptException(stopped);
    }
  }
}
