package io.holdfast.kernel.source;

import io.holdfast.kernel.records.RawRecord;
import java.util.List;
import java.util.function.Consumer;

/** The program that turns the records of one Kafka partition, in offset order, into payloads. */
public interface Ingest {
  /** Runs the chunk and gives what comes of it to `out`, in order. */
  void run(List<RawRecord> chunk, Consumer<byte[]> out);

  /** Gives what waited for the end of the partition's records. */
  default void finish(Consumer<byte[]> out) {}

  /** Gives what waited, without the news that come with the end; more records may follow. */
  default void flush(Consumer<byte[]> out) {
    finish(out);
  }

  /** Releases what the program holds. */
  void close();
}
