package io.holdfast.kernel.kafka;

import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.source.Ingest;
import io.holdfast.kernel.source.IngestFactory;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** An ingest program that sends every record as it came to another topic. */
public record Copy(String topic, boolean changelog) implements IngestFactory {
  @Override
  public List<String> topics() {
    return List.of(topic);
  }

  @Override
  public List<Short> labels() {
    return List.of((short) 0);
  }

  @Override
  public Ingest create(int block, LongSupplier clock, TopicLimits limits) {
    return new Ingest() {
      @Override
      public void run(List<RawRecord> chunk, Consumer<byte[]> out) {
        for (RawRecord in : chunk) {
          out.accept(new OutputRow(topic, OutputRow.ANY, in.timestamp(), in.key(), in.value(), in.headers(), changelog)
            .encode((short) 0));
        }
      }

      @Override
      public void close() {}
    };
  }
}
