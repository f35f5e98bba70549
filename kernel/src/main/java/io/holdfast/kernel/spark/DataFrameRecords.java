package io.holdfast.kernel.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;
import static org.apache.spark.sql.functions.unix_millis;

import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.rows.BlockPacker;
import io.holdfast.kernel.source.Ingest;
import io.holdfast.kernel.source.IngestFactory;
import io.holdfast.kernel.source.KafkaLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import scala.Tuple2;

/** A streaming DataFrame as records: its rows as JSON, timed by the batch unless the app says otherwise. */
final class DataFrameRecords {
  private static final Map<String, String> EXACT = Map.of("timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX");

  private DataFrameRecords() {}

  static Dataset<byte[]> read(String node, Dataset<Row> frame, IngestFactory program, TreeMap<String, String> clients) {
    // The batch's time is fixed before the batch runs, so a repeated batch reads the same records.
    return frame
        .select(
            to_json(struct(col("*")), EXACT).cast("binary").as("value"),
            unix_millis(current_timestamp()).as("timestamp"))
        .as(Encoders.tuple(Encoders.BINARY(), Encoders.LONG()))
        .mapPartitions(reader(node, program, clients), Encoders.BINARY());
  }

  private static MapPartitionsFunction<Tuple2<byte[], Long>, byte[]> reader(
      String node, IngestFactory program, TreeMap<String, String> clients) {
    return rows -> {
      Ingest ingest = program.create(BlockPacker.USUAL, System::currentTimeMillis, KafkaLimits.of(clients));
      int partition = TaskContext.getPartitionId();
      List<RawRecord> records = new ArrayList<>();
      for (long i = 0; rows.hasNext(); i++) {
        Tuple2<byte[], Long> row = rows.next();
        records.add(new RawRecord(node, partition, i, row._2(), null, row._1(), null));
      }
      List<byte[]> out = new ArrayList<>();
      ingest.run(records, out::add);
      ingest.finish(out::add);
      ingest.close();
      return out.iterator();
    };
  }
}
