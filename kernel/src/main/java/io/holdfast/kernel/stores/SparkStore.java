package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.ImplicitGroupingKeyTracker;
import org.apache.spark.sql.streaming.MapState;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.ValueState;
import scala.Tuple2;

/**
 * State in Spark's checkpoint, of the task whose label is the grouping key: a row of its own for each plain key, under label and key.
 *
 * <p>A group is a map with the label and its own bytes for a grouping key, so that it can be read without the rest of the task.
 */
public final class SparkStore implements KeyValueStore {
  private static final String GROUPS = "~groups";
  private final MapState<byte[], byte[]> groups;
  private final SparkRows rows;
  private final Fetched fetched;

  private SparkStore(SparkRows rows, MapState<byte[], byte[]> groups) {
    this.rows = rows;
    this.groups = groups;
    this.fetched = new Fetched(rows);
  }

  /** The store of that name. */
  public static SparkStore of(StatefulProcessorHandle handle, String name) {
    ValueState<byte[]> plain = handle.getValueState(name, Encoders.BINARY(), TTLConfig.NONE());
    MapState<byte[], byte[]> groups = handle.getMapState(name + GROUPS, Encoders.BINARY(), Encoders.BINARY(), TTLConfig.NONE());
    return new SparkStore(new SparkRows(plain, name), groups);
  }

  @Override
  public void fetch(Collection<byte[]> keys) {
    fetched.fetch(label(), keys);
  }

  @Override
  public void forget() {
    fetched.forget();
  }

  @Override
  public byte[] get(byte[] key) {
    return fetched.take(label(), key);
  }

  @Override
  public List<byte[]> getAll(List<byte[]> keys) {
    return rows.getAll(label(), keys);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    byte[] label = label();
    fetched.forget(label, key);
    rows.put(label, key, value);
  }

  @Override
  public void remove(byte[] key) {
    byte[] label = label();
    fetched.forget(label, key);
    rows.remove(label, key);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    Accesses.READS.increment();
    return in(group, () -> groups.getValue(key));
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    Accesses.WRITES.increment();
    in(group, () -> {
      groups.updateValue(key, value);
      return null;
    });
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    Accesses.WRITES.increment();
    in(group, () -> {
      groups.removeKey(key);
      return null;
    });
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return in(group, () -> {
      List<Pair> out = new ArrayList<>();
      scala.collection.Iterator<Tuple2<byte[], byte[]>> entries = withoutListener(groups::iterator);
      while (entries.hasNext()) {
        Tuple2<byte[], byte[]> entry = entries.next();
        out.add(new Pair(entry._1(), entry._2()));
      }
      Accesses.READS.add(out.size());
      // Spark orders keys of different length by their length.
      out.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
      return out;
    });
  }

  /**
   * Spark remembers each iterator until its task ends, in case that nobody reads it to the end, as we do. In a batch that lasts
   * that would fill the memory.
   */
  private static <T> T withoutListener(Supplier<T> open) {
    TaskContext task = TaskContext.get();
    TaskContext$.MODULE$.unset();
    try {
      return open.get();
    } finally {
      if (task != null) {
        TaskContext$.MODULE$.setTaskContext(task);
      }
    }
  }

  private static byte[] label() {
    return (byte[]) ImplicitGroupingKeyTracker.getImplicitKeyOption().get();
  }

  private static byte[] under(byte[] label, byte[] key) {
    byte[] both = Arrays.copyOf(label, label.length + key.length);
    System.arraycopy(key, 0, both, label.length, key.length);
    return both;
  }

  private static <T> T in(byte[] group, Supplier<T> access) {
    long start = System.nanoTime();
    byte[] label = label();
    ImplicitGroupingKeyTracker.setImplicitKey(under(label, group));
    try {
      return access.get();
    } finally {
      ImplicitGroupingKeyTracker.setImplicitKey(label);
      Accesses.since(start);
    }
  }
}
