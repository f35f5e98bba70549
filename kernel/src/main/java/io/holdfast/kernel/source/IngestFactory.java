package io.holdfast.kernel.source;

import java.io.Serializable;

/** Makes an ingest program for each reader of a Kafka partition. */
public interface IngestFactory extends Serializable {
  Ingest create();
}
