package io.holdfast.kernel.source;

import io.holdfast.kernel.rows.Blocks;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/** Makes the readers, on the executors. */
final class SourceReaderFactory implements PartitionReaderFactory {
  private final String program;
  private final String digest;

  SourceReaderFactory(String program) {
    this.program = program;
    this.digest = Programs.digest(program);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    if (partition instanceof FewRecords few) {
      return few.reader(this::createReader);
    }
    IngestFactory ingest = Programs.decode(program, digest);
    if (partition instanceof TickPartition ticks) {
      return ticks.reader(ingest);
    }
    if (partition instanceof LiveTicks ticks) {
      return ticks.reader(ingest);
    }
    if (partition instanceof LivePartition live) {
      return new LiveReader(live, ingest.create(Blocks.WHOLE, System::currentTimeMillis));
    }
    if (partition instanceof ClockedPartition clocked) {
      return new SourceReader(new KafkaRecords(clocked.range()), ingest.create(Blocks.USUAL, clocked::now));
    }
    return new SourceReader(new KafkaRecords((KafkaBatchInputPartition) partition), ingest.create(Blocks.USUAL, System::currentTimeMillis));
  }
}
