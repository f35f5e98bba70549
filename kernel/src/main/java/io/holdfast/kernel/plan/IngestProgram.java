package io.holdfast.kernel.plan;

import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.source.Ingest;
import io.holdfast.kernel.source.IngestFactory;
import io.holdfast.kernel.source.Serialization;
import io.holdfast.kernel.source.TimeBounds;
import io.holdfast.kernel.task.Program;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** The program of the readers: the sources by topic, and the nodes before the first exchange. */
public record IngestProgram(String id, Program program, Map<String, List<SourceSpec>> sources) implements IngestFactory {
  private static final ConcurrentHashMap<String, ConcurrentLinkedQueue<IngestRunner>> IDLE = new ConcurrentHashMap<>();

  @Override
  public List<String> topics() {
    return program.topics();
  }

  @Override
  public List<Short> labels() {
    return IntStream.range(0, program.tasks().count()).mapToObj(program.tasks()::label).toList();
  }

  /** Whether records take their time from the wall clock, or are compared with it. */
  public boolean isStamped() {
    return sources.values().stream().flatMap(List::stream).anyMatch(SourceSpec::asksClock);
  }

  /** By topic, how far times may be ahead of the wall clock, where that is limited. */
  public Map<String, Long> maxAhead() {
    Map<String, Long> out = new TreeMap<>();
    sources.forEach((topic, all) -> all.stream().filter(s -> s.maxAhead() != TimeBounds.ANY).forEach(s -> out.put(topic, s.maxAhead())));
    return out;
  }

  private IngestRunner open() {
    return new IngestRunner((IngestProgram) Serialization.object(Serialization.bytes(this)));
  }

  @Override
  public boolean callsPython() {
    return program.python() != null;
  }

  /** A program for one reader; finished ones are reused in the next batch, with their generated code. */
  @Override
  public Ingest create(int block, LongSupplier clock, TopicLimits limits) {
    ConcurrentLinkedQueue<IngestRunner> idle = IDLE.computeIfAbsent(id, i -> new ConcurrentLinkedQueue<>());
    IngestRunner found = idle.poll();
    IngestRunner ingest = found != null ? found : open();
    ingest.pack(block);
    ingest.clock(clock);
    ingest.limits(limits);
    return new Ingest() {
      private boolean halfway;

      @Override
      public void run(List<RawRecord> chunk, Consumer<byte[]> out) {
        halfway = true;
        ingest.run(chunk, out);
      }

      @Override
      public void finish(Consumer<byte[]> out) {
        ingest.finish(out);
        halfway = false;
      }

      @Override
      public void flush(Consumer<byte[]> out) {
        ingest.flush(out);
        halfway = false;
      }

      @Override
      public void close() {
        ingest.close();
        // After a failure it still has records of the batch that failed.
        if (!halfway) {
          idle.add(ingest);
        }
      }
    };
  }
}
