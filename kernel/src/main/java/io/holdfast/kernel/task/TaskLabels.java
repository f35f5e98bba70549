package io.holdfast.kernel.task;

import java.io.Serializable;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * Which task a key belongs to, and the label of each task.
 *
 * <p>Spark hashes the label once more to find a partition. The label of task t is one whose hash is t modulo the number of
 * tasks, so that tasks spread evenly over every number of partitions that divides theirs.
 */
public final class TaskLabels implements Serializable {
  private static final int SPARK_SEED = 42;
  private final short[] labels;

  public TaskLabels(int count) {
    labels = new short[count];
    boolean[] found = new boolean[count];
    int missing = count;
    for (int candidate = 0; candidate < 0xFFFF && missing > 0; candidate++) {
      int task = Math.floorMod(sparkHash((short) candidate), count);
      if (!found[task]) {
        found[task] = true;
        labels[task] = (short) candidate;
        missing--;
      }
    }
    if (missing > 0) {
      throw new IllegalArgumentException(count + " tasks are too many; at most about 8,000 have labels of their own");
    }
  }

  private static int sparkHash(short label) {
    byte[] bytes = {(byte) (label >> 8), (byte) label};
    return Murmur3_x86_32.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, 2, SPARK_SEED);
  }

  public int count() {
    return labels.length;
  }

  public short label(int task) {
    return labels[task];
  }

  /** The task of a key, out of the first {@code width} tasks. */
  public short labelOf(byte[] keyBytes, int width) {
    int hash = Murmur3_x86_32.hashUnsafeBytes2(keyBytes, Platform.BYTE_ARRAY_OFFSET, keyBytes.length, SPARK_SEED);
    return labels[Math.floorMod(hash, width)];
  }

  /** The task of a record without a key: that of its source partition, so that its order holds. */
  public short labelOf(int topic, int partition) {
    return labels[Math.floorMod(31 * topic + partition, labels.length)];
  }
}
