package io.holdfast.kernel.spark;

import io.holdfast.kernel.rows.BlockPacker;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.LocalFiles;
import io.holdfast.kernel.stores.SparkStore;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** One stage as Spark runs it: rows grouped by task, state in Spark's checkpoint. */
final class StageProcessor extends StatefulProcessor<byte[], byte[], byte[]> {
  /** How often a task reports its counters in real-time mode. */
  private static final long REPORT_NANOS = 1_000_000_000L;
  private final StageTaskPool tasks;
  private final boolean live;
  private transient Map<String, KeyValueStore> stores;
  private transient LocalFiles files;
  private transient Task task;
  private transient boolean halfway;
  private transient boolean finished;
  private transient long reportedAt;

  /**
   * @param live whether rows come one by one, in real-time mode
   */
  StageProcessor(StageTaskPool tasks, boolean live) {
    this.tasks = tasks;
    this.live = live;
  }

  @Override
  public void init(OutputMode mode, TimeMode time) {
    files = LocalFiles.of(getHandle());
    stores = new HashMap<>();
    for (StoreSpec store : tasks.program().stores()) {
      stores.put(store.state(), SparkStore.of(getHandle(), store.state()));
    }
    SparkStore.dropOthers(getHandle(), stores.keySet());
  }

  @Override
  public Iterator<byte[]> handleInputRows(byte[] key, Iterator<byte[]> rows, TimerValues timers) {
    if (task == null) {
      task = tasks.open(stores, live ? BlockPacker.WHOLE : BlockPacker.USUAL);
      task.live(live ? getHandle().getQueryInfo().getBatchId() : Task.NOT_LIVE);
      TaskContext.get().addTaskCompletionListener((TaskCompletionListener) this::release);
    }
    halfway = true;
    task.begin((short) (key[0] << 8 | key[1] & 0xFF));
    while (rows.hasNext()) {
      task.accept(rows.next());
    }
    List<byte[]> out = live ? runLive() : task.run();
    halfway = false;
    return CollectionConverters.asScala(out.iterator());
  }

  private List<byte[]> runLive() {
    boolean report = System.nanoTime() - reportedAt >= REPORT_NANOS;
    reportedAt = report ? System.nanoTime() : reportedAt;
    List<byte[]> out = report ? task.run() : task.runQuietly();
    if (report) {
      checkFiles();
    }
    // Values that were prefetched for this row are of no use to the next.
    stores.values().forEach(KeyValueStore::forget);
    return out;
  }

  /** Spark calls this at the end of the rows only, not when an attempt fails or is killed. */
  @Override
  public void close() {
    if (task != null && !halfway) {
      checkFiles();
      finished = true;
    }
  }

  /** However the attempt ends. */
  private void release(TaskContext attempt) {
    // After a failure it still has records of the batch that failed, and nodes have state that was rolled back.
    tasks.giveBack(task, finished && !attempt.isFailed() && !attempt.isInterrupted());
    task = null;
    stores = null;
  }

  /** Fails the batch if RocksDB could not read everything, which it does not always report. */
  private void checkFiles() {
    if (files != null) {
      files.check();
    }
  }
}
