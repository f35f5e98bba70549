package io.holdfast.kernel.source;

import io.holdfast.kernel.records.RawRecord;
import java.util.List;
import java.util.function.Consumer;

/** The program that turns the records of one Kafka partition, in offset order, into payloads. */
public interface Ingest {
  /** Runs the chunk and hands the payloads to `out`, in order. */
  void run(List<RawRecord> chunk, Consumer<byte[]> out);

  /** Hands out the payloads that waited for the end of the partition's records. */
  default void finish(Consumer<byte[]> out) {}

  /** Hands out the payloads that waited, without ticks and counters; more records may follow. */
  default void flush(Consumer<byte[]> out) {
    finish(out);
  }

  /** Releases the program's resources. */
  void close();
}
