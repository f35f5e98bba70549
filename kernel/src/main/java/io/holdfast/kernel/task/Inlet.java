package io.holdfast.kernel.task;

/** Where the rows of an edge arrive: the node, and how they are read. */
record Inlet(Node target, Edge edge, RowCodec keys, RowCodec values, RowCodec partials) {
  /** Those of a task by edge; null where an edge leads elsewhere. */
  static Inlet[] all(Task task) {
    Program program = task.program();
    Inlet[] out = new Inlet[program.edges().keySet().stream().mapToInt(id -> id + 1).max().orElse(0)];
    for (Edge edge : program.edges().values()) {
      if (edge.place() == program.place()) {
        out[edge.id()] = of(edge, task.node(edge.target()), task);
      }
    }
    return out;
  }

  private static Inlet of(Edge edge, Node target, Task task) {
    RowCodec partials = edge.partial() == null ? null : task.codec(edge.partial());
    return new Inlet(target, edge, task.codec(edge.key()), task.codec(edge.value()), partials);
  }

  /** Takes a record, and tells its time. */
  long accept(byte[] bytes, int at, int length) {
    Rec r = Envelope.decode(bytes, at, length, keys, values, partials);
    if (edge.entrance()) {
      target.acceptAgain(r, edge.port());
    } else {
      target.accept(r, edge.port());
    }
    return r.timestamp;
  }
}
