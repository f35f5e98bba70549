package io.holdfast.kernel.stores;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.ImplicitGroupingKeyTracker;
import org.apache.spark.sql.streaming.MapState;
import scala.Tuple2;

/**
 * State in Spark's checkpoint: a map under the grouping key, which is the task's label.
 *
 * <p>A group has the label and its own bytes for a grouping key, so that it can be read without the rest of the task.
 */
public final class SparkStore implements KeyValueStore {
  private final MapState<byte[], byte[]> state;

  public SparkStore(MapState<byte[], byte[]> state) {
    this.state = state;
  }

  @Override
  public byte[] get(byte[] key) {
    return state.getValue(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    state.updateValue(key, value);
  }

  @Override
  public void remove(byte[] key) {
    state.removeKey(key);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    return in(group, () -> state.getValue(key));
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    in(group, () -> {
      state.updateValue(key, value);
      return null;
    });
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    in(group, () -> {
      state.removeKey(key);
      return null;
    });
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return in(group, () -> {
      List<Pair> out = new ArrayList<>();
      scala.collection.Iterator<Tuple2<byte[], byte[]>> entries = state.iterator();
      while (entries.hasNext()) {
        Tuple2<byte[], byte[]> entry = entries.next();
        out.add(new Pair(entry._1(), entry._2()));
      }
      // Spark orders keys of different length by their length.
      out.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
      return out;
    });
  }

  private static <T> T in(byte[] group, Supplier<T> access) {
    byte[] label = (byte[]) ImplicitGroupingKeyTracker.getImplicitKeyOption().get();
    byte[] both = Arrays.copyOf(label, label.length + group.length);
    System.arraycopy(group, 0, both, label.length, group.length);
    ImplicitGroupingKeyTracker.setImplicitKey(both);
    try {
      return access.get();
    } finally {
      ImplicitGroupingKeyTracker.setImplicitKey(label);
    }
  }
}
