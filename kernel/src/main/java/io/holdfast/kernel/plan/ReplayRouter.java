package io.holdfast.kernel.plan;

import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.serde.BadRecord;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.source.TimeBounds;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.task.ReplayedRecord;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Routes replayed records to the inner node that had refused them, past all nodes before it. */
final class ReplayRouter {
  private final Program program;
  private final Task task;

  ReplayRouter(Program program, Task task) {
    this.program = program;
    this.task = task;
  }

  /**
   * @param time the latest time among the replayed records before it, and its own
   */
  void route(ReplayedRecord replayed, long time) {
    List<Program.ReplayRoute> routes = program.replayRoutes().getOrDefault(replayed.node(), List.of());
    if (replayed.port() >= routes.size()) {
      task.deadLetterReplayed("", replayed, "the program has no node '" + replayed.node() + "' for it any more");
      return;
    }
    Program.ReplayRoute target = routes.get(replayed.port());
    RawRecord raw = replayed.record();
    StreamRecord r;
    try {
      TimeBounds.checked(raw.timestamp());
      Object key = decode(target.key(), raw.key(), "key");
      Object value = decode(target.value(), raw.value(), "value");
      byte[] order = Order.ofSource(time, false, program.topics().indexOf(raw.topic()), raw.partition(), raw.offset());
      r = new StreamRecord(Order.replayed(order, replayed.path()), raw.timestamp(), KeyTypes.widen(key, target.key()), value, null, raw.headers());
    } catch (Exception bad) {
      task.deadLetterReplayed(target.at(), replayed, FailureReasons.of(bad));
      return;
    }
    task.acceptReplayed(replayed.node(), replayed.port(), target, r);
  }

  private static Object decode(DataType type, byte[] bytes, String part) throws BadRecord {
    try {
      return Serdes.defaultFor(type).decode(bytes);
    } catch (BadRecord bad) {
      throw BadRecord.malformed(part + ": " + bad.getMessage());
    }
  }
}
