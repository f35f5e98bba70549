package io.holdfast.kernel.source;

import io.holdfast.kernel.records.TopicLimits;
import java.io.Serializable;
import java.util.List;
import java.util.function.LongSupplier;

/** Makes an ingest program for each reader of a Kafka partition. */
public interface IngestFactory extends Serializable {
  /**
   * @param block how large the blocks may become that its records leave in
   * @param clock the time of records that take theirs from the clock, and by which others are too far ahead
   * @param limits what the topics take that it writes to
   */
  Ingest create(int block, LongSupplier clock, TopicLimits limits);

  /** What is read, in the order that the total order has. */
  List<String> topics();

  /** The label of every task. */
  List<Short> labels();

  /** Whether a record may take long, because functions in Python are called. */
  default boolean callsPython() {
    return false;
  }
}
