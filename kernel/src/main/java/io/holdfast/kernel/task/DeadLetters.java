package io.holdfast.kernel.task;

import io.holdfast.kernel.errors.KernelError;
import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.DeadLetterHeaders;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.records.RawRecord;
import io.holdfast.kernel.serde.Serdes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Makes a dead letter of a record: its bytes and headers, and in headers where it came from, who refused it and why. */
final class DeadLetters {
  private final Program program;

  DeadLetters(Program program) {
    this.program = program;
  }

  /**
   * A record that failed inside the topology: the sink fills in the source record's bytes, and headers hold the record as the node saw it;
   * a row of a DataFrame is written as the node saw it.
   */
  OutputRow of(NodeSpec node, StreamRecord r, String reason) {
    boolean timed = !Order.hasSource(r.order);
    String topic = timed ? "" : program.topics().get(Order.topic(r.order));
    Origin origin = new Origin(node.id, node.at, reason, topic, Order.partition(r.order), Order.offset(r.order));
    origin.refuse(program.failOnError());
    NodeTypes types = program.types().get(node.inputOf(r));
    // A state that was made of several records is none of them.
    byte[] key = r.key == null ? null : bytes(types.key(), r.key);
    byte[] value = r.value == null || r.isPartial() ? null : bytes(types.value(), r.value);
    boolean recalled = !timed && !program.frames().contains(topic);
    List<RawHeader> facts = origin.facts(r.headers);
    if (!node.inputs.isEmpty() && !r.isPartial()) {
      facts.addAll(position(r.port, Order.path(r.order)));
      facts.addAll(recalled ? seen(key, value) : List.of(RawHeader.ofText(HeaderNames.SEEN, "record")));
    }
    OutputRow row = row(r.timestamp, key, value, r.headers, facts);
    return recalled ? row.recalling() : row;
  }

  /** A record that could not be read: its own bytes. */
  OutputRow of(String source, String at, boolean fail, RawRecord raw, String reason) {
    Origin origin = new Origin(source, at, reason, raw.topic(), raw.partition(), raw.offset());
    origin.refuse(fail);
    return row(raw.timestamp(), raw.key(), raw.value(), raw.headers(), origin.facts(raw.headers()));
  }

  /** A replayed record that the node refuses again. */
  OutputRow of(String at, ReplayedRecord replayed, String reason) {
    RawRecord raw = replayed.record();
    Origin origin = new Origin(replayed.node(), at, reason, raw.topic(), raw.partition(), raw.offset());
    origin.refuse(program.failOnError());
    List<RawHeader> facts = origin.facts(raw.headers());
    facts.addAll(position(replayed.port(), replayed.path()));
    boolean recalled = program.topics().contains(raw.topic()) && !program.frames().contains(raw.topic());
    facts.addAll(recalled ? seen(raw.key(), raw.value()) : List.of(RawHeader.ofText(HeaderNames.SEEN, "record")));
    OutputRow row = row(raw.timestamp(), raw.key(), raw.value(), raw.headers(), facts);
    return recalled ? row.recalling() : row;
  }

  private static List<RawHeader> position(int port, byte[] path) {
    return List.of(RawHeader.ofText(HeaderNames.PORT, Integer.toString(port)), RawHeader.ofText(HeaderNames.PATH, HexFormat.of().formatHex(path)));
  }

  /** Key and value as the node saw them, for a replay; null has no header. */
  private static List<RawHeader> seen(byte[] key, byte[] value) {
    List<RawHeader> out = new ArrayList<>(List.of(RawHeader.ofText(HeaderNames.SEEN, "headers")));
    if (key != null) {
      out.add(new RawHeader(HeaderNames.KEY, key));
    }
    if (value != null) {
      out.add(new RawHeader(HeaderNames.VALUE, value));
    }
    return out;
  }

  private static byte[] bytes(DataType type, Object value) {
    return Serdes.defaultFor(type).encode(value);
  }

  private OutputRow row(long timestamp, byte[] key, byte[] value, RawHeader[] headers, List<RawHeader> facts) {
    List<RawHeader> own = headers == null ? List.of() : List.of(ReplayMark.without(headers));
    return new OutputRow(program.deadLetters(), -1, Math.max(0, timestamp), key, value, DeadLetterHeaders.of(own, facts), false);
  }

  /** Where a record came from, who refused it and why. */
  private record Origin(String node, String at, String reason, String topic, int partition, long offset) {
    Origin {
      reason = FailureReasons.fitting(reason);
    }

    void refuse(boolean fail) {
      if (fail) {
        throw new KernelError(node, at, reason + " (record " + topic + "/" + partition + " at offset " + offset
            + "); on_error=\"dead-letter\" would continue without it");
      }
    }

    List<RawHeader> facts(RawHeader[] headers) {
      List<RawHeader> out = new ArrayList<>();
      out.add(RawHeader.ofText(DeadLetterHeaders.FIRST, topic));
      out.add(RawHeader.ofText(HeaderNames.PARTITION, Integer.toString(partition)));
      out.add(RawHeader.ofText(HeaderNames.OFFSET, Long.toString(offset)));
      out.add(RawHeader.ofText(HeaderNames.NODE, node));
      out.add(RawHeader.ofText(HeaderNames.AT, at));
      out.add(RawHeader.ofText(HeaderNames.REASON, reason));
      out.add(RawHeader.ofText(HeaderNames.TIME, Long.toString(System.currentTimeMillis())));
      byte[] attempts = ReplayMark.in(headers);
      if (attempts != null) {
        out.add(new RawHeader(ReplayMark.NAME, attempts));
      }
      return out;
    }
  }
}
