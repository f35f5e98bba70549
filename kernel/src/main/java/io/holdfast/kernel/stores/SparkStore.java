package io.holdfast.kernel.stores;

import org.apache.spark.sql.streaming.MapState;

/** State in Spark's checkpoint: a map under the grouping key, which is the task's label. */
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
}
