package io.holdfast.kernel.stores;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.RocksDB;
import org.apache.spark.sql.execution.streaming.state.RocksDBKeyStateEncoder;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.RocksDBValueStateEncoder;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreChangelogWriter;
import org.apache.spark.unsafe.Platform;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import scala.Option;
import scala.Tuple3;

/**
 * Reads and writes many rows of a state variable at once in Spark's RocksDB itself: Spark's store takes them one by one, copies each three times
 * and calls native code for each.
 *
 * <p>RocksDB and the changelog of the checkpoint get the same bytes as from Spark's store; the prefixes of keys and values are those of its own
 * encoders.
 */
final class RocksRows {
  private static final Field CHANGELOG = SparkVariables.field(RocksDB.class, "changelogWriter");
  private static final Field READ_OPTIONS = SparkVariables.field(RocksDB.class, "readOptions");
  private static final byte[] SAMPLE = {1, 2, 3};
  private static final byte[] NOTHING = {};
  /** The most bytes of a write batch. */
  private static final int MOST_BYTES = 256 << 10;
  /** How many rows of the usual size fit into the processor's cache. */
  private static final int AT_ONCE = 500;
  private final RocksDB rocks;
  private final byte[] beforeKey;
  private final byte[] beforeValue;
  private final UnsafeRow found = new UnsafeRow(1);
  private final WriteList writes = new WriteList();
  /** Unused; it keeps the compiler from removing the reads. */
  private long touched;

  private RocksRows(RocksDB rocks, byte[] beforeKey, byte[] beforeValue) {
    this.rocks = rocks;
    this.beforeKey = beforeKey;
    this.beforeValue = beforeValue;
  }

  /** The rows of a declared variable; null if the store does more with a row than writing it. */
  static RocksRows of(StateStore store, String name) {
    RocksDBStateStoreProvider provider = SparkVariables.providerOf(store);
    if (provider == null) {
      return null;
    }
    RocksDB rocks = provider.rocksDB();
    Tuple3<RocksDBKeyStateEncoder, RocksDBValueStateEncoder, Object> encoders = SparkVariables.encodersOf(provider, name);
    if (encoders == null || rocks.conf().rowChecksumEnabled() || rocks.conf().trackTotalNumberOfRows()) {
      return null;
    }
    UnsafeRow sample = BinaryRows.of(SAMPLE);
    byte[] key = SparkVariables.prefixed(rocks, encoders._1().encodeKey(sample), name);
    byte[] beforeKey = before(key, sample.getBytes());
    byte[] beforeValue = before(encoders._2().encodeValue(sample), sample.getBytes());
    return beforeKey == null || beforeValue == null ? null : new RocksRows(rocks, beforeKey, beforeValue);
  }

  /** The prefix before the row; null if the encoding differs in anything else. */
  private static byte[] before(byte[] encoded, byte[] row) {
    int length = encoded.length - row.length;
    boolean behind = length >= 0 && Arrays.equals(encoded, length, encoded.length, row, 0, row.length);
    return behind ? Arrays.copyOf(encoded, length) : null;
  }

  /** Adds the values of keys, null for those that are not there. */
  void read(byte[] task, List<byte[]> keys, List<byte[]> out) {
    rocks.updateMemoryUsageIfNeeded();
    List<byte[]> stored = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      stored.add(BinaryRows.behind(beforeKey, task, key));
    }
    org.rocksdb.RocksDB db = SparkVariables.dbOf(rocks);
    ReadOptions options = (ReadOptions) SparkVariables.valueOf(READ_OPTIONS, rocks);
    try {
      List<byte[]> values = db.multiGetAsList(options, stored);
      for (int i = 0; i < values.size(); i++) {
        byte[] value = values.get(i) == null ? missing(db, options, stored.get(i)) : values.get(i);
        out.add(value == null ? null : bytes(value));
      }
    } catch (RocksDBException failure) {
      throw new StateFailure(failure);
    }
  }

  /** A key that a multi-get did not find may be one whose read failed, which RocksDB only reports for a single get. */
  private static byte[] missing(org.rocksdb.RocksDB db, ReadOptions options, byte[] key) throws RocksDBException {
    return db.keyMayExist(options, key, null) ? db.get(options, key) : null;
  }

  private byte[] bytes(byte[] value) {
    found.pointTo(value, Platform.BYTE_ARRAY_OFFSET + (long) beforeValue.length, value.length - beforeValue.length);
    return found.getBinary(0);
  }

  /**
   * Writes values of keys; null removes a key.
   *
   * @param order the indexes of those to write, in the order in which to write them
   */
  void write(byte[] task, List<byte[]> keys, List<byte[]> values, int[] order) {
    rocks.updateMemoryUsageIfNeeded();
    StateStoreChangelogWriter changelog = changelog();
    org.rocksdb.RocksDB db = SparkVariables.dbOf(rocks);
    writes.clear();
    try {
      for (int i = 0; i < order.length; i++) {
        if (i % AT_ONCE == 0) {
          touch(keys, values, order, i);
        }
        int index = order[i];
        add(BinaryRows.behind(beforeKey, task, keys.get(index)), values.get(index), changelog);
        if (writes.size() > MOST_BYTES) {
          writes.write(db);
        }
      }
      writes.write(db);
    } catch (Exception failure) {
      // The changelog writes a file, and does not declare its exceptions.
      throw new StateFailure(failure);
    }
  }

  /** Touches the next keys and values, so that the processor loads them at the same time: they are scattered in memory. */
  private void touch(List<byte[]> keys, List<byte[]> values, int[] order, int from) {
    int to = Math.min(order.length, from + AT_ONCE);
    for (int i = from; i < to; i++) {
      touched += keys.get(order[i]).length;
    }
    for (int i = from; i < to; i++) {
      byte[] value = values.get(order[i]);
      touched += value == null ? 0 : value.length;
    }
  }

  private void add(byte[] key, byte[] bytes, StateStoreChangelogWriter changelog) {
    byte[] value = bytes == null ? null : BinaryRows.behind(beforeValue, NOTHING, bytes);
    if (value == null) {
      writes.delete(key);
    } else {
      writes.put(key, value);
    }
    if (changelog == null) {
      // Spark writes whole snapshots instead.
      return;
    }
    if (value == null) {
      changelog.delete(key);
    } else {
      changelog.put(key, value);
    }
  }

  @SuppressWarnings("unchecked")
  private StateStoreChangelogWriter changelog() {
    Option<StateStoreChangelogWriter> writer = (Option<StateStoreChangelogWriter>) SparkVariables.valueOf(CHANGELOG, rocks);
    return writer.isEmpty() ? null : writer.get();
  }
}
