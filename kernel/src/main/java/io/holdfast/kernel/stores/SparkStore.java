package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.ImplicitGroupingKeyTracker;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;

/**
 * State in Spark's checkpoint, of the task whose label is the grouping key: a row for each plain key, under label and key.
 *
 * <p>A group is a map variable under the label and the group's bytes as grouping key, so that it can be read without the rest of the task.
 */
public final class SparkStore implements KeyValueStore {
  private static final String GROUPS = "~groups";
  private final SparkRows rows;
  private final SparkGroups groups;
  private final PrefetchedRows fetched;

  private SparkStore(SparkRows rows, SparkGroups groups) {
    this.rows = rows;
    this.groups = groups;
    this.fetched = new PrefetchedRows(rows);
  }

  /** The store of that name. */
  public static SparkStore of(StatefulProcessorHandle handle, String name) {
    StateStore store = SparkVariables.storeOf(handle);
    SparkVariables.declareValue(handle, store, name);
    SparkVariables.declareMap(handle, store, name + GROUPS);
    return new SparkStore(new SparkRows(store, name), new SparkGroups(store, name + GROUPS));
  }

  /** Drops the variables of earlier programs; `names` are the stores of this one. */
  public static void dropOthers(StatefulProcessorHandle handle, Set<String> names) {
    StateStore store = SparkVariables.storeOf(handle);
    if (store != null) {
      Set<String> all = new HashSet<>(names);
      names.forEach(name -> all.add(name + GROUPS));
      SparkVariables.dropOthers(store, all);
    }
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
  public void putAll(List<byte[]> keys, List<byte[]> values) {
    byte[] label = label();
    keys.forEach(key -> fetched.forget(label, key));
    rows.putAll(label, keys, values);
  }

  @Override
  public void remove(byte[] key) {
    byte[] label = label();
    fetched.forget(label, key);
    rows.remove(label, key);
  }

  @Override
  public byte[] get(byte[] group, byte[] key) {
    return groups.get(under(label(), group), key);
  }

  @Override
  public void put(byte[] group, byte[] key, byte[] value) {
    groups.put(under(label(), group), key, value);
  }

  @Override
  public void remove(byte[] group, byte[] key) {
    groups.remove(under(label(), group), key);
  }

  @Override
  public List<Pair> scan(byte[] group) {
    return groups.scan(under(label(), group));
  }

  private static byte[] label() {
    return (byte[]) ImplicitGroupingKeyTracker.getImplicitKeyOption().get();
  }

  private static byte[] under(byte[] label, byte[] key) {
    byte[] both = Arrays.copyOf(label, label.length + key.length);
    System.arraycopy(key, 0, both, label.length, key.length);
    return both;
  }
}
