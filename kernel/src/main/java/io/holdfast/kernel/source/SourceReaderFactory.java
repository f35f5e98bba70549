package io.holdfast.kernel.source;

import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.rows.BlockPacker;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/** Makes the readers, on the executors. */
final class SourceReaderFactory implements PartitionReaderFactory {
  private final String program;
  private final String digest;
  private final TreeMap<String, Object> clients;

  /**
   * @param clients settings of the app's Kafka clients
   */
  SourceReaderFactory(String program, Map<String, Object> clients) {
    this.program = program;
    this.clients = new TreeMap<>(clients);
    this.digest = IngestProgramCodec.digest(program);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    if (partition instanceof SmallBatch few) {
      return few.reader(this::createReader);
    }
    IngestFactory ingest = IngestProgramCodec.decode(program, digest);
    TopicLimits limits = KafkaLimits.of(clients);
    if (partition instanceof TickPartition ticks) {
      return ticks.reader(ingest);
    }
    if (partition instanceof LiveTicks ticks) {
      return ticks.reader(ingest);
    }
    if (partition instanceof LivePartition live) {
      return new LiveReader(live, ingest.create(BlockPacker.WHOLE, System::currentTimeMillis, limits));
    }
    if (partition instanceof ClockedPartition clocked) {
      return new SourceReader(new KafkaRecords(clocked.range()), ingest.create(BlockPacker.USUAL, clocked::now, limits));
    }
    return new SourceReader(new KafkaRecords((KafkaBatchInputPartition) partition), ingest.create(BlockPacker.USUAL, System::currentTimeMillis, limits));
  }
}
