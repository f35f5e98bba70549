package io.holdfast.kernel.source;

import io.holdfast.kernel.records.TopicLimits;
import java.io.Serializable;
import java.util.List;
import java.util.function.LongSupplier;

/** Makes an ingest program for each reader of a Kafka partition. */
public interface IngestFactory extends Serializable {
  /**
   * @param block how large the blocks of output may become
   * @param clock the time of records with processing time, and by which others are too far ahead
   * @param limits the limits of the output topics
   */
  Ingest create(int block, LongSupplier clock, TopicLimits limits);

  /** The topics that are read; positions in the order refer to them by their index. */
  List<String> topics();

  /** The label of every task. */
  List<Short> labels();

  /** Whether a record may take long, because functions in Python are called. */
  default boolean callsPython() {
    return false;
  }
}
