package io.holdfast.kernel.stores;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.RocksDB$;
import org.apache.spark.sql.execution.streaming.state.RocksDB;
import org.apache.spark.sql.execution.streaming.state.RocksDBKeyStateEncoder;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.RocksDBValueStateEncoder;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import scala.Option;
import scala.Tuple3;

/** Scans of Spark's RocksDB that end behind the last row or fail: Spark's own end without an error before a row that they cannot read. */
final class RocksScan {
  private final RocksDB rocks;
  private final String name;
  private final RocksDBKeyStateEncoder keys;
  private final RocksDBValueStateEncoder values;

  private RocksScan(RocksDB rocks, String name, RocksDBKeyStateEncoder keys, RocksDBValueStateEncoder values) {
    this.rocks = rocks;
    this.name = name;
    this.keys = keys;
    this.values = values;
  }

  /** Scans of a declared variable; null if the store does more with a row than reading it. */
  static RocksScan of(StateStore store, String name) {
    RocksDBStateStoreProvider provider = SparkVariables.providerOf(store);
    if (provider == null || provider.rocksDB().conf().rowChecksumEnabled()) {
      return null;
    }
    Tuple3<RocksDBKeyStateEncoder, RocksDBValueStateEncoder, Object> encoders = SparkVariables.encodersOf(provider, name);
    return encoders == null ? null : new RocksScan(provider.rocksDB(), name, encoders._1(), encoders._2());
  }

  /** Passes all rows whose key begins with the row to a reader; each is valid until the next one. */
  void read(UnsafeRow group, BiConsumer<UnsafeRow, UnsafeRow> reader) {
    rocks.updateMemoryUsageIfNeeded();
    byte[] encoded = keys.encodePrefixKey(group);
    byte[] prefix = SparkVariables.prefixed(rocks, encoded, name);
    int before = prefix.length - encoded.length;
    Option<byte[]> end = RocksDB$.MODULE$.prefixUpperBound(prefix);
    try (ReadOptions options = new ReadOptions(); Slice bound = end.isEmpty() ? null : new Slice(end.get())) {
      if (bound != null) {
        options.setIterateUpperBound(bound);
      }
      try (RocksIterator rows = SparkVariables.dbOf(rocks).newIterator(options)) {
        for (rows.seek(prefix); rows.isValid(); rows.next()) {
          byte[] key = rows.key();
          if (!begins(key, prefix)) {
            break;
          }
          reader.accept(keys.decodeKey(Arrays.copyOfRange(key, before, key.length)), values.decodeValue(rows.value()));
        }
        rows.status();
      }
    } catch (RocksDBException failure) {
      throw new StateFailure(failure);
    }
  }

  private static boolean begins(byte[] key, byte[] prefix) {
    return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }
}
