package io.holdfast.kernel.spark;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.stores.SparkStore;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** One stage as Spark runs it: rows grouped by task, state in Spark's checkpoint. */
final class StageProcessor extends StatefulProcessor<byte[], byte[], byte[]> {
  private final Shipped shipped;
  private transient Map<String, KeyValueStore> stores;
  private transient Task task;
  private transient boolean halfway;

  StageProcessor(Shipped shipped) {
    this.shipped = shipped;
  }

  @Override
  public void init(OutputMode mode, TimeMode time) {
    stores = new HashMap<>();
    for (StoreSpec store : shipped.program().stores()) {
      stores.put(store.state(), SparkStore.of(getHandle(), store.state()));
    }
  }

  @Override
  public Iterator<byte[]> handleInputRows(byte[] key, Iterator<byte[]> rows, TimerValues timers) {
    if (task == null) {
      task = shipped.open(stores);
    }
    halfway = true;
    task.begin((short) (key[0] << 8 | key[1] & 0xFF));
    while (rows.hasNext()) {
      task.accept(rows.next());
    }
    List<byte[]> out = task.run();
    halfway = false;
    return CollectionConverters.asScala(out.iterator());
  }

  @Override
  public void close() {
    if (task != null) {
      // After a failure it still holds records of the batch that failed.
      shipped.giveBack(task, !halfway);
      task = null;
    }
  }
}
