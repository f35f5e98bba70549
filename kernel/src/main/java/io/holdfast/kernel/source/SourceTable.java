package io.holdfast.kernel.source;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The source as a table that supports streaming reads only. */
final class SourceTable implements SupportsRead {
  @Override
  public String name() {
    return "holdfast";
  }

  @Override
  public Column[] columns() {
    return new Column[] {Column.create("payload", DataTypes.BinaryType, false)};
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.MICRO_BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return () -> new SourceScan(ClientSettings.resolve(options));
  }
}
