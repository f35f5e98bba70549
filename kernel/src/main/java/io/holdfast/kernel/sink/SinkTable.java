package io.holdfast.kernel.sink;

import io.holdfast.kernel.source.ClientSettings;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;
import org.apache.spark.sql.types.DataTypes;

/** The sink as a table that supports streaming writes only. */
final class SinkTable implements SupportsWrite {
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
    return Set.of(TableCapability.STREAMING_WRITE);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    if (info.schema().length() != 1 || !info.schema().apply(0).dataType().equals(DataTypes.BinaryType)) {
      throw new IllegalArgumentException(
          "the sink wants one binary column 'payload', got " + info.schema().simpleString());
    }
    return new Builder(info);
  }

  private record Builder(LogicalWriteInfo info) implements SupportsStreamingUpdateAsAppend {
    @Override
    public Write build() {
      return new Write() {
        @Override
        public StreamingWrite toStreaming() {
          return new SinkWrite(info.queryId(), SinkConfig.of(ClientSettings.resolve(info.options())));
        }
      };
    }
  }
}
