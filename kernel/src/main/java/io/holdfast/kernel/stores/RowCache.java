package io.holdfast.kernel.stores;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of the rows of one state variable that were used last, in memory outside of the heap: RocksDB needs three microseconds to find a row
 * among ten million.
 *
 * <p>All writes of the variable go through here, so that the cache matches the open database. Spark opens another database whenever it restores a
 * state; that one gets a cache of its own.
 */
final class RowCache {
  private static final Logger LOG = LoggerFactory.getLogger(RowCache.class);
  private static final Map<RocksDBStateStoreProvider, Map<String, RowCache>> ALL = Collections.synchronizedMap(new WeakHashMap<>());
  private final WeakReference<Object> database;
  private final RowPages rows;
  private boolean complete;

  /**
   * @param isNew whether the database has no rows yet
   */
  RowCache(MemoryShare.Total total, Object database, boolean isNew) {
    this.database = new WeakReference<>(database);
    this.rows = new RowPages(new MemoryShare(total));
    this.complete = isNew;
  }

  /** The cache of a variable of the open database; null if caches are off. */
  static RowCache of(StateStore store, String name) {
    return of(MemoryShare.ofProcess(), store, name);
  }

  static RowCache of(MemoryShare.Total total, StateStore store, String name) {
    RocksDBStateStoreProvider provider = SparkVariables.providerOf(store);
    if (provider == null || total.isNothing()) {
      return null;
    }
    Object open = SparkVariables.dbOf(provider.rocksDB());
    return ALL.computeIfAbsent(provider, p -> new ConcurrentHashMap<>()).compute(name, (n, known) ->
        known != null && known.database.get() == open ? known : opened(total, open, store, name, known != null));
  }

  private static RowCache opened(MemoryShare.Total total, Object database, StateStore store, String name, boolean again) {
    if (again) {
      LOG.info("{}, state {}: its row cache starts empty, because Spark has restored the state at version {}", store.id(), name, store.version());
    }
    return new RowCache(total, database, store.version() == 0);
  }

  /** Whether the cache has all rows, so that one that is not here does not exist. */
  boolean isComplete() {
    return complete;
  }

  /** The value of a key; null if it is not in the cache. */
  byte[] get(byte[] task, byte[] key) {
    return rows.get(task, key);
  }

  /** Adds the values of keys, null for those that are not in the cache; returns how many these are. */
  int getAll(byte[] task, List<byte[]> keys, List<byte[]> out) {
    return rows.getAll(task, keys, out);
  }

  /** Sets the value of a key; null if it was removed. */
  void put(byte[] task, byte[] key, byte[] value) {
    complete &= rows.put(task, key, value);
  }

  /** The same of many keys. */
  void putAll(byte[] task, List<byte[]> keys, List<byte[]> values) {
    complete &= rows.putAll(task, keys, values);
  }
}
