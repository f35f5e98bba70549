package io.holdfast.kernel.source;

import java.io.Serializable;
import java.util.List;

/** Makes an ingest program for each reader of a Kafka partition. */
public interface IngestFactory extends Serializable {
  Ingest create();

  /** What is read, in the order that the total order has. */
  List<String> topics();

  /** The label of every task. */
  List<Short> labels();

  /** Whether a record may take long, because functions in Python are called. */
  default boolean callsPython() {
    return false;
  }
}
