package io.holdfast.kernel.stores;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;

/** One state variable in Spark's state store, row by row; accesses are counted and timed. */
abstract class CountedRows {
  final StateStore store;
  final String name;

  CountedRows(StateStore store, String name) {
    this.store = store;
    this.name = name;
  }

  final byte[] get(UnsafeRow key) {
    long start = System.nanoTime();
    StateMetrics.READS.increment();
    byte[] found = read(key);
    StateMetrics.since(start);
    return found;
  }

  final void put(UnsafeRow key, byte[] value) {
    long start = System.nanoTime();
    StateMetrics.WRITES.increment();
    try {
      store.put(key, BinaryRows.of(value), name);
    } catch (Exception failure) {
      throw new StateFailure(failure);
    }
    StateMetrics.since(start);
  }

  final void remove(UnsafeRow key) {
    long start = System.nanoTime();
    StateMetrics.WRITES.increment();
    try {
      store.remove(key, name);
    } catch (Exception failure) {
      throw new StateFailure(failure);
    }
    StateMetrics.since(start);
  }

  /** The value of a key, not counted. */
  final byte[] read(UnsafeRow key) {
    try {
      return bytes(store.get(key, name));
    } catch (Exception failure) {
      throw new StateFailure(failure);
    }
  }

  static byte[] bytes(UnsafeRow row) {
    return row == null ? null : row.getBinary(0);
  }
}
