package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.task.Edge;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Program;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Connects the nodes: within a stage, or by an exchange to a later stage. */
final class Wiring {
  private final Map<String, JsonNode> json;
  private final Map<String, NodeSpec> specs;
  private final int tasks;
  private final LinkedHashMap<Integer, Edge> edges = new LinkedHashMap<>();
  /** Per stage and node. */
  private final Map<Integer, LinkedHashMap<String, List<Object>>> outgoing = new HashMap<>();
  private final Map<String, Boolean> rekeyed = new HashMap<>();
  private final LinkedHashMap<String, List<Program.ReplayRoute>> replayRoutes = new LinkedHashMap<>();

  Wiring(Map<String, JsonNode> json, Map<String, NodeSpec> specs, int tasks) {
    this.json = json;
    this.specs = specs;
    this.tasks = tasks;
    List<Link> links = new ArrayList<>();
    specs.values().forEach(node -> connect(node, links));
    links.sort(Comparator.comparingLong(Link::turn));
    links.forEach(link -> connect(link.node, link.port));
    specs.values().stream().filter(node -> !isMark(node) && !node.inputs.isEmpty()).forEach(this::routeReplays);
  }

  /** An input of a node; consumers get records in the order of the program. */
  private record Link(NodeSpec node, int port, long turn) {}

  private void connect(NodeSpec node, List<Link> links) {
    rekeyed.put(node.id, isRekeyed(node));
    if (isTableSource(node)) {
      for (int stage : stages(node)) {
        send(-1, node.id, edge(stage, node, node, 0, isGlobal(node)));
      }
    }
    if (isMark(node)) {
      return;
    }
    long before = links.isEmpty() ? 0 : links.get(links.size() - 1).turn;
    for (int i = 0; i < node.recordInputs() && i < node.inputs.size(); i++) {
      // Processors that run as one node stand at several lines of the program.
      links.add(new Link(node, i, json.get(node.id).path("turns").path(i).asLong(json.get(node.id).path("turn").asLong(before))));
    }
  }

  private void connect(NodeSpec node, int port) {
    NodeSpec from = sender(node.inputs.get(port));
    // A copy by key of a global table comes from the topic, not from a stage where each task has all of it.
    int stage = isGlobal(from) ? -1 : from.stage;
    if (stage == node.stage) {
      send(stage, from.id, new Program.LocalConsumer(node.id, port, wantsEvery(node.id)));
    } else {
      send(stage, from.id, edge(node.stage, from, node, port, false));
    }
  }

  /** Grouping by the current key does nothing; as in Kafka Streams the aggregate is the consumer instead. */
  private boolean isMark(NodeSpec node) {
    return op(node).equals("group_by_key");
  }

  private NodeSpec sender(String id) {
    NodeSpec from = specs.get(id);
    return isMark(from) ? sender(from.inputs.get(0)) : from;
  }

  private void send(int stage, String from, Object to) {
    outgoing.computeIfAbsent(stage, p -> new LinkedHashMap<>()).computeIfAbsent(from, f -> new ArrayList<>()).add(to);
  }

  private Integer edge(int stage, NodeSpec from, NodeSpec to, int port, boolean everywhere) {
    JsonNode target = json.get(to.id);
    boolean byKey = has(to, Trait.NEEDS_KEY) || op(to).equals("join") && target.path("with").asText().equals("table");
    boolean hop = byKey && rekeyed.get(from.id);
    int width = op(to).equals("repartition") && target.hasNonNull("tasks") ? target.get("tasks").asInt() : tasks;
    int id = edges.size();
    Edge.Route route = new Edge.Route(width, everywhere, hop, wantsEvery(to.id), op(to).equals("table_copy"), false);
    edges.put(id, new Edge(id, new Edge.Input(stage, to.id, port), from.key, from.value, route, to.combiner()));
    return id;
  }

  /** Adds a route to each input of a node for replayed records. */
  private void routeReplays(NodeSpec node) {
    List<Program.ReplayRoute> routes = new ArrayList<>();
    for (int port = 0; port < node.recordInputs() && port < node.inputs.size(); port++) {
      NodeSpec from = specs.get(node.inputs.get(port));
      Integer id = node.stage < 0 ? null : edges.size();
      if (id != null) {
        Edge.Input to = new Edge.Input(node.stage, node.id, port);
        edges.put(id, new Edge(id, to, from.key, from.value, Edge.Route.ofReplay(widthAt(node)), null));
      }
      routes.add(new Program.ReplayRoute(id, from.key, from.value, node.at));
    }
    replayRoutes.put(node.id, routes);
  }

  /** Over how many tasks the keys of a node's input spread. */
  private int widthAt(NodeSpec node) {
    JsonNode width = json.get(node.id).path("tasks");
    if (op(node).equals("repartition") && width.isNumber()) {
      return width.asInt();
    }
    NodeSpec from = node.inputs.isEmpty() ? null : specs.get(node.inputs.get(0));
    return from == null || from.stage != node.stage ? tasks : widthAt(from);
  }

  /** Whether a node, or a view of it, needs every update of the tables under it. */
  private boolean wantsEvery(String id) {
    NodeSpec node = specs.get(id);
    return has(node, Trait.NEEDS_EVERY_UPDATE) || has(node, Trait.VIEW) && (node.store() != null && isJoined(id)
        || specs.values().stream().anyMatch(other -> other.inputs.contains(id) && wantsEvery(other.id)));
  }

  /** Whether a stream is joined with this table, directly or through a view: it must be readable as of any position in the order. */
  private boolean isJoined(String id) {
    return specs.values().stream().anyMatch(other -> op(other).equals("join") && other.inputs.get(1).equals(id)
        || has(other, Trait.VIEW) && other.store() == null && other.inputs.contains(id) && isJoined(other.id));
  }

  private boolean isRekeyed(NodeSpec node) {
    if (has(node, Trait.CHANGES_KEY)) {
      return true;
    }
    boolean fresh = node.store() != null || op(node).equals("repartition") || op(node).equals("source");
    if (fresh || op(node).equals("join") && json.get(node.id).path("with").asText().equals("table")) {
      return false;
    }
    return node.inputs.stream().limit(node.recordInputs()).anyMatch(i -> rekeyed.get(i));
  }

  private boolean has(NodeSpec node, Trait trait) {
    return Operators.of(op(node)).has(trait);
  }

  private String op(NodeSpec node) {
    return json.get(node.id).get("op").asText();
  }

  private boolean isTableSource(NodeSpec node) {
    return op(node).equals("source") && !json.get(node.id).get("kind").asText().equals("stream");
  }

  private boolean isGlobal(NodeSpec node) {
    return json.get(node.id).path("kind").asText().equals("global");
  }

  private List<Integer> stages(NodeSpec node) {
    JsonNode stages = json.get(node.id).path("places");
    List<Integer> out = new ArrayList<>();
    stages.forEach(p -> out.add(p.asInt()));
    return json.get(node.id).has("places") ? out : List.of(node.stage);
  }

  Map<Integer, Edge> edges() {
    return edges;
  }

  Map<String, List<Program.ReplayRoute>> replayRoutes() {
    return replayRoutes;
  }

  Map<String, List<Object>> outgoing(int stage) {
    return outgoing.getOrDefault(stage, new LinkedHashMap<>());
  }

  /** The nodes of a stage. Every source is read at -1; a table is stored in its stage, or stages. */
  List<NodeSpec> nodesOf(int stage) {
    List<NodeSpec> out = new ArrayList<>();
    for (NodeSpec node : specs.values()) {
      if (isTableSource(node)) {
        if (stage == -1) {
          out.add(new TableSource(node));
        } else if (stages(node).contains(stage)) {
          out.add(stage == node.stage ? node : new GlobalTableCopy(node, stage));
        }
      } else if (node.stage == stage && !isMark(node)) {
        out.add(node);
      }
    }
    return out;
  }
}
