package io.holdfast.kernel.task;

/** Where the rows of an edge arrive: the node, and how they are read. */
record Inlet(Node target, Edge edge, RowCodec keys, RowCodec values, RowCodec partials) {
  static Inlet of(Edge edge, Node target, Task task) {
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
