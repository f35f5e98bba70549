package io.holdfast.kernel.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.source.Serialization;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.NodeTypes;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.task.TaskLabels;
import io.holdfast.kernel.workers.PythonLimits;
import io.holdfast.kernel.workers.PythonStart;
import io.holdfast.kernel.workers.PythonWorkerPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Compiles the plan document to a {@link Plan}: resolves every type and expression, then wires the nodes. */
public final class PlanCompiler {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final LruCache<byte[]> KNOWN = new LruCache<>();
  private final JsonNode document;
  private final Map<String, JsonNode> json = new LinkedHashMap<>();
  private final Map<String, NodeSpec> specs = new LinkedHashMap<>();
  private final PlanNodes nodes = new PlanNodes(json, specs, Operators::of);
  private final Map<String, List<SourceSpec>> sources = new LinkedHashMap<>();
  private final List<String> frames = new ArrayList<>();

  private PlanCompiler(JsonNode document) {
    this.document = document;
  }

  /** The plan of a document; plans of recent documents are cached. */
  public static Plan compile(String planJson) {
    return (Plan) Serialization.object(KNOWN.get(planJson, text -> Serialization.bytes(resolve(text))));
  }

  private static Plan resolve(String planJson) {
    try {
      return new PlanCompiler(JSON.readTree(planJson)).compile();
    } catch (JsonProcessingException bad) {
      throw new IllegalArgumentException("the plan is not JSON: " + bad.getOriginalMessage());
    }
  }

  private Plan compile() {
    document.get("nodes").forEach(n -> json.put(n.get("id").asText(), n));
    json.values().forEach(this::resolve);
    document.path("topics").forEach(topic -> last(topic.asText()));
    String app = document.get("app").asText();
    List<String> topics = List.copyOf(sources.keySet());
    TaskLabels tasks = new TaskLabels(document.get("tasks").asInt());
    Wiring wiring = new Wiring(json, specs, tasks.count());
    boolean fail = document.path("on_error").asText().equals("fail");
    Map<String, NodeTypes> types = new LinkedHashMap<>();
    specs.forEach((id, s) -> types.put(id, new NodeTypes(s.key, s.value)));
    UpstreamTopics upstream = new UpstreamTopics(json, specs);
    Set<String> ticking = upstream.ticking();
    int stages = document.get("stages").asInt();
    List<Program> programs = new ArrayList<>();
    for (int stage = -1; stage < stages; stage++) {
      programs.add(new Program(app, stage, tasks, topics, List.copyOf(frames), wiring.nodesOf(stage), wiring.edges(),
          wiring.outgoing(stage), types, fail, stages == 0 ? Set.of() : ticking, stage == stages - 1, workers(), wiring.replayRoutes()));
    }
    IngestProgram ingest = new IngestProgram(UUID.randomUUID().toString(), programs.get(0), new LinkedHashMap<>(sources));
    return new Plan(app, subscribed(topics, programs.get(0).replays()), List.copyOf(frames), tables(), upstream.idle(),
        asksForClock(), ingest, new ArrayList<>(programs.subList(1, programs.size())), new LinkedHashMap<>(specs));
  }

  /** Moves a topic behind the others: records in state refer to topics by index, and the document has their order if it is not that of the nodes. */
  private void last(String topic) {
    List<SourceSpec> of = sources.remove(topic);
    if (of != null) {
      sources.put(topic, of);
    }
  }

  private boolean asksForClock() {
    return json.values().stream().anyMatch(node -> node.path("wall").asBoolean());
  }

  /** The topics that are read from Kafka: those of the program and the replay topic. */
  private List<String> subscribed(List<String> topics, String replays) {
    List<String> out = new ArrayList<>(topics.stream().filter(t -> !frames.contains(t)).toList());
    if (!out.isEmpty()) {
      out.add(replays);
    }
    return out;
  }

  /** How Python is started on the executors, if the document says so. */
  private PythonWorkerPool workers() {
    JsonNode python = document.path("python");
    if (!python.hasNonNull("command")) {
      return null;
    }
    return new PythonWorkerPool(PythonStart.of(python), PythonLimits.of(python));
  }

  private List<String> tables() {
    return sources.entrySet().stream()
        .filter(e -> e.getValue().stream().anyMatch(SourceSpec::table)).map(Map.Entry::getKey).toList();
  }

  private void resolve(JsonNode node) {
    String id = node.get("id").asText();
    String at = node.path("at").asText("");
    try {
      NodeCompiler compiler = nodes.operator(node).maker().of(node, nodes);
      specs.put(id, compiler.compile());
      if (compiler instanceof SourceCompiler source) {
        read(node, source);
      }
    } catch (KernelError known) {
      throw known;
    } catch (Throwable problem) {
      throw new KernelError(id, at, CompileErrors.of(problem));
    }
  }

  private void read(JsonNode node, SourceCompiler compiler) {
    String onError = document.path("on_error").asText();
    String id = node.get("id").asText();
    if (node.get("op").asText().equals("dataframe")) {
      frames.add(id);
      sources.put(id, List.of(compiler.frameSource(onError)));
    } else {
      SourceSpec source = compiler.source(onError);
      node.get("topics").forEach(t -> sources.computeIfAbsent(t.asText(), x -> new ArrayList<>()).add(source));
    }
  }
}
