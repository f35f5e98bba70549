package io.holdfast.kernel.source;

import io.holdfast.kernel.errors.KernelError;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** The epochs that ran since a checkpoint was copied: checks whether they can be repeated. */
final class MissedEpochs {
  static final String REMEDIES = "To go on: put a newer copy of the checkpoint back; " + CheckpointOffsets.BEGIN_AGAIN;
  private final String app;
  private final long last;
  private final RecordedEpochs recorded;

  /** The error of a program that would repeat an epoch of another one. */
  static KernelError ofAnotherProgram(String app, long epoch) {
    return new KernelError("", "", "the checkpoint of app '" + app + "' is an older copy, and epoch " + epoch + ", which has to be repeated, ran"
        + " with another program, or in another mode: its output is there, as that one wrote it. To go on: start that one, in the same"
        + " mode, until it has caught up or refuses a later epoch with the same message; then stop it and start this one");
  }

  /** The error of a checkpoint that another one of the app has replaced. */
  static KernelError ofAnotherCheckpoint(String app) {
    return new KernelError("", "", "app '" + app + "' has started with another checkpoint since this one was copied, and has written all output"
        + " again. To go on: put a copy of that checkpoint back; or, to begin again once more, remove the app's directory of state: everything is"
        + " then written once more");
  }

  /**
   * @param last the last epoch of the checkpoint
   * @param recorded the epochs after it, at least one
   */
  MissedEpochs(String app, long last, RecordedEpochs recorded) {
    this.app = app;
    this.last = last;
    this.recorded = recorded;
  }

  void check(CheckpointOffsets checkpoint, EpochTopic topic, boolean topicsOnly, String program) {
    if (!topicsOnly) {
      throw refusal("it reads DataFrames, whose batches cannot be made to end where they ended");
    }
    long gap = recorded.firstGapAfter(last);
    if (gap < recorded.last().epoch()) {
      throw refusal("where epoch " + gap + " ended is not recorded; it ran in real-time mode, or its record is deleted");
    }
    if (!recorded.get(last + 1, topic).program().equals(program)) {
      throw ofAnotherProgram(app, last + 1);
    }
    if (last >= 0) {
      checkInput(OffsetJson.of(TickOffset.of(checkpoint.of(last).get(0)).kafka), topic);
    }
  }

  /** Checks whether Kafka still has the input of the epochs. */
  private void checkInput(Map<TopicPartition, Long> start, EpochTopic topic) {
    Map<TopicPartition, Long> end = recorded.last().kafka(0);
    Set<TopicPartition> read = new HashSet<>(end.keySet());
    read.removeIf(partition -> end.get(partition) <= start.getOrDefault(partition, 0L));
    Map<TopicPartition, EpochTopic.Bounds> bounds = topic.bounds(read);
    for (TopicPartition partition : read) {
      EpochTopic.Bounds there = bounds.get(partition);
      long from = start.getOrDefault(partition, 0L);
      if (there == null || there.begin() > from || there.end() < end.get(partition)) {
        throw refusal("what they read of partition " + partition.partition() + " of topic '" + partition.topic() + "', offsets " + from + " to "
            + end.get(partition) + ", is deleted" + (there == null ? "" : ": it has " + there.begin() + " to " + there.end()));
      }
    }
  }

  private KernelError refusal(String why) {
    return new KernelError("", "", "the checkpoint of app '" + app + "' is an older copy: it ends with epoch " + last + ", and epochs "
        + (last + 1) + " to " + recorded.last().epoch() + " ran after it. They cannot be repeated: " + why + ". " + REMEDIES);
  }
}
