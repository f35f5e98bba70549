package io.holdfast.kernel.stores;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** Spark's state in RocksDB, without a query around it. */
final class Providers {
  /** Keys and values of one column of bytes. */
  static final StructType BYTES = new StructType().add("value", DataTypes.BinaryType, true);
  private static final String ROCKS = "spark.sql.streaming.stateStore.rocksdb.";

  private Providers() {}

  /** A provider with a checkpoint in a folder, and with settings of RocksDB. */
  static RocksDBStateStoreProvider of(Path home, Map<String, String> settings) {
    SQLConf conf = new SQLConf();
    conf.setConfString(ROCKS + "trackTotalNumberOfRows", "false");
    settings.forEach((name, value) -> conf.setConfString(ROCKS + name, value));
    Configuration hadoop = new Configuration();
    hadoop.set(StreamExecution.RUN_ID_KEY(), UUID.randomUUID().toString());
    RocksDBStateStoreProvider made = new RocksDBStateStoreProvider();
    made.init(new StateStoreId(home.toString(), 0, 0, "default"), BYTES, BYTES, new NoPrefixKeyStateEncoderSpec(BYTES), true,
        StateStoreConf.apply(conf), hadoop, false, Option.empty());
    return made;
  }
}
