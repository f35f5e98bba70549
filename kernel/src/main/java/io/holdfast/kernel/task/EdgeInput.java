package io.holdfast.kernel.task;

/** The receiving end of an edge: the node, and the codecs of its rows. */
record EdgeInput(Node target, int port, boolean replay, RowCodec keys, RowCodec values, RowCodec partials) {
  /** Those of a task by edge; null where an edge leads elsewhere. */
  static EdgeInput[] all(Task task) {
    Program program = task.program();
    EdgeInput[] out = new EdgeInput[program.edges().keySet().stream().mapToInt(id -> id + 1).max().orElse(0)];
    for (Edge edge : program.edges().values()) {
      if (edge.to().stage() == program.stage()) {
        out[edge.id()] = of(edge, task.node(edge.to().node()), task);
      }
    }
    return out;
  }

  private static EdgeInput of(Edge edge, Node target, Task task) {
    RowCodec partials = edge.partial() == null ? null : task.codec(edge.partial());
    return new EdgeInput(
        target, edge.to().port(), edge.route().replay(), task.codec(edge.key()), task.codec(edge.value()), partials);
  }

  /** Hands a record to the node; returns its time. */
  long accept(byte[] bytes, int at, int length) {
    StreamRecord r = Envelope.decode(bytes, at, length, keys, values, partials);
    if (replay) {
      target.acceptReplayed(r, port);
    } else {
      target.accept(r, port);
    }
    return r.timestamp;
  }
}
