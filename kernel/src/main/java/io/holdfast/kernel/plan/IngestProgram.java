package io.holdfast.kernel.plan;

import io.holdfast.kernel.source.Ingest;
import io.holdfast.kernel.source.IngestFactory;
import io.holdfast.kernel.task.Program;
import java.util.List;
import java.util.Map;

/** What is done where records are read: the sources by topic, and the nodes that run there. */
public record IngestProgram(Program program, Map<String, List<SourceSpec>> sources) implements IngestFactory {
  @Override
  public Ingest create() {
    return new Ingestion(this, System::currentTimeMillis);
  }
}
