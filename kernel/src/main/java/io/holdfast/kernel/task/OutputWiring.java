package io.holdfast.kernel.task;

import java.util.ArrayList;
import java.util.List;

/** Wires the nodes of a task to their consumers. */
final class OutputWiring {
  private final Task task;
  private final Program program;
  private final List<CombiningExchange> combined = new ArrayList<>();

  OutputWiring(Task task) {
    this.task = task;
    this.program = task.program();
  }

  /** Wires a node to its consumers. */
  void wire(NodeSpec spec) {
    List<Object> consumers = program.outgoing().getOrDefault(spec.id, List.of());
    Output[] outs = new Output[consumers.size()];
    for (int i = 0; i < outs.length; i++) {
      outs[i] = consumers.get(i) instanceof Integer edge
          ? exchange(program.edges().get(edge))
          : local((Program.LocalConsumer) consumers.get(i));
    }
    boolean fromElsewhere = program.edges().values().stream()
        .anyMatch(e -> e.to().stage() == program.stage() && e.to().node().equals(spec.id) && !e.route().replay());
    task.node(spec.id).wire(task, outs, fromElsewhere || spec.recordInputs() > 1);
  }

  private Output local(Program.LocalConsumer consumer) {
    return new Output.Local(task.node(consumer.node()), consumer.port(), consumer.every());
  }

  private Output exchange(Edge edge) {
    if (edge.combiner() == null) {
      return new Output.Exchange(edge, task);
    }
    CombiningExchange out = new CombiningExchange(edge, task);
    combined.add(out);
    return out;
  }

  /** Sends the records that are being combined. */
  void flush() {
    combined.forEach(CombiningExchange::flush);
  }
}
