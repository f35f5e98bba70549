package io.holdfast.kernel.nodes.streams;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.serde.InnerKey;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** Writes records to a topic; a null value is a tombstone. */
public final class To extends Node {
  private final String topic;
  private final Serde key;
  private final Serde value;
  private final RowCodec keys;
  private final Evaluator dynamicTopic;
  private final Evaluator payload;
  private final Evaluator headers;
  private final boolean textHeaders;
  private final ScopeRow scope;
  private final ChosenTopic chosen;
  private String lastChosen;
  /** For windowed keys: all windows of a key go to its partition. */
  private final InnerKey inner;

  /**
   * What a {@link To} needs to know.
   *
   * @param dynamicTopic an expression for the topic, if it is not the same for all
   * @param payload an expression for what is written; null if it is the record's value
   */
  public record Target(
      String topic, BoundExpressions dynamicTopic, BoundExpressions payload, Serde key, Serde value, BoundExpressions headers, boolean textHeaders)
      implements java.io.Serializable {}

  public To(NodeSpec spec, Task task, Target target) {
    super(spec.id);
    topic = target.topic;
    key = target.key;
    value = target.value;
    keys = task.codec(spec.key);
    dynamicTopic = target.dynamicTopic == null ? null : target.dynamicTopic.open();
    payload = target.payload == null ? null : target.payload.open();
    headers = target.headers == null ? null : target.headers.open();
    textHeaders = target.textHeaders;
    scope = new ScopeRow(2, true, task.program().topics());
    inner = InnerKey.of(spec.key);
    chosen = new ChosenTopic(task.program().app());
  }

  @Override
  protected void process(StreamRecord r) {
    String name = topic == null ? topicOf(r) : topic;
    byte[] k = r.key == null ? null : key.encode(r.key);
    Object written = payload == null ? r.value : payload.value(scope.of(r, r.key, r.value));
    byte[] v = written == null ? null : value.encode(written);
    OutputRow row = new OutputRow(name, OutputRow.ANY, Math.max(0, r.timestamp), k, v, headersOf(r), false);
    task.wantDeliverable(row);
    task.output(r, keys, inner == null || k == null ? row : row.inPartitionOf(inner.bytes(r.key)));
  }

  @Override
  protected boolean wantsOld() {
    return false;
  }

  private String topicOf(StreamRecord r) {
    Object name = dynamicTopic.value(scope.of(r, r.key, r.value));
    if (name == null) {
      throw new IllegalArgumentException("the topic to write to is null");
    }
    return checked(name.toString());
  }

  /** A name that is chosen for each record is checked like one that stands in the program: a wrong one would stop the sink. */
  private String checked(String name) {
    if (!name.equals(lastChosen)) {
      String wrong = chosen.wrong(name);
      if (wrong != null) {
        throw new IllegalArgumentException("the topic to write to, '" + name + "', " + wrong);
      }
      lastChosen = name;
    }
    return name;
  }

  private RawHeader[] headersOf(StreamRecord r) {
    if (headers == null) {
      return r.headers;
    }
    MapData map = (MapData) headers.value(scope.of(r, r.key, r.value));
    if (map == null) {
      return r.headers;
    }
    List<RawHeader> out = new ArrayList<>(r.headers == null ? List.of() : List.of(r.headers));
    for (int i = 0; i < map.numElements(); i++) {
      String name = map.keyArray().getUTF8String(i).toString();
      out.removeIf(h -> h.name().equals(name));
      out.add(new RawHeader(name, headerValue(map, i)));
    }
    return out.toArray(new RawHeader[0]);
  }

  private byte[] headerValue(MapData map, int i) {
    if (map.valueArray().isNullAt(i)) {
      return null;
    }
    return textHeaders
        ? ((UTF8String) map.valueArray().get(i, DataTypes.StringType)).getBytes()
        : map.valueArray().getBinary(i);
  }
}
