package io.holdfast.kernel.sink;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Spark sink of output rows: one binary column `payload`; options `kafka.*` and, for the epoch records, `meta`. */
public final class HoldfastSink implements TableProvider {
  static final StructType SCHEMA = new StructType().add("payload", DataTypes.BinaryType, false);

  /** Records sent per topic by the query since this process started, on the driver. */
  public static Map<String, Long> counters(String queryId) {
    return SinkProgress.of(queryId).sent();
  }

  /** Why records became dead letters, with their number, since this process started, on the driver. */
  public static Map<String, Long> reasons(String queryId) {
    return SinkProgress.of(queryId).reasons();
  }

  /** How many records of each node were "late" or "skipped" since this process started, on the driver. */
  public static Map<String, Long> counted(String queryId, String kind) {
    return SinkProgress.of(queryId).counted(kind);
  }

  /** Everything that is counted and measured since this process started, on the driver, as JSON. */
  public static String measured(String queryId) {
    return SinkProgress.of(queryId).measured();
  }

  /** Drops the progress of a query that has ended and closes idle producers. */
  public static void forget(String queryId) {
    SinkProgress.forget(queryId);
    ProducerPool.closeIdle();
    TransactionalProducers.close(queryId);
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return SCHEMA;
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new SinkTable();
  }
}
