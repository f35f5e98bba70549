package io.holdfast.kernel.source;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/**
 * All partitions of a batch with few records, read by one task, one after the other: a task costs more than they do.
 */
record SmallBatch(InputPartition[] partitions) implements InputPartition {
  private static final long FEW = 1_000;

  /** The partitions as they are, or together if they are small. */
  static InputPartition[] together(InputPartition[] partitions) {
    long records = Arrays.stream(partitions).mapToLong(SmallBatch::size).sum();
    return partitions.length < 2 || records > FEW ? partitions : new InputPartition[] {new SmallBatch(partitions)};
  }

  private static long size(InputPartition partition) {
    if (partition instanceof ClockedPartition clocked) {
      return size(clocked.range());
    }
    return partition instanceof KafkaBatchInputPartition kafka ? kafka.offsetRange().size() : 0;
  }

  PartitionReader<InternalRow> reader(Function<InputPartition, PartitionReader<InternalRow>> readers) {
    return new Reader(List.of(partitions).iterator(), readers);
  }

  private static final class Reader implements PartitionReader<InternalRow> {
    private final Iterator<InputPartition> rest;
    private final Function<InputPartition, PartitionReader<InternalRow>> readers;
    private final Map<String, Long> metrics = new HashMap<>();
    private PartitionReader<InternalRow> current;

    Reader(Iterator<InputPartition> partitions, Function<InputPartition, PartitionReader<InternalRow>> readers) {
      this.rest = partitions;
      this.readers = readers;
    }

    @Override
    public boolean next() throws java.io.IOException {
      while (true) {
        if (current == null) {
          if (!rest.hasNext()) {
            return false;
          }
          current = readers.apply(rest.next());
        }
        if (current.next()) {
          return true;
        }
        close();
      }
    }

    @Override
    public InternalRow get() {
      return current.get();
    }

    @Override
    public CustomTaskMetric[] currentMetricsValues() {
      Map<String, Long> all = new HashMap<>(metrics);
      add(current, all);
      return all.entrySet().stream().map(e -> new Metric(e.getKey(), e.getValue())).toArray(CustomTaskMetric[]::new);
    }

    private static void add(PartitionReader<InternalRow> reader, Map<String, Long> sums) {
      if (reader != null) {
        Arrays.stream(reader.currentMetricsValues()).forEach(metric -> sums.merge(metric.name(), metric.value(), Long::sum));
      }
    }

    @Override
    public void close() throws java.io.IOException {
      PartitionReader<InternalRow> done = current;
      current = null;
      if (done != null) {
        add(done, metrics);
        done.close();
      }
    }
  }

  private record Metric(String name, long value) implements CustomTaskMetric {}
}
