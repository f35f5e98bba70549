package io.holdfast.kernel.nodes.processors;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.NodeTypes;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.ArrowRows;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Converts the entries of a processors' store to Python and back. */
final class ProcessorState {
  private final ProcessorStore store;
  private final DataType key;
  private final DataType value;
  private final StructType entries;
  private final StructType keys;
  private final StructType changes;
  private final StructType bounds;

  ProcessorState(ProcessorStore store, NodeTypes types) {
    this.store = store;
    this.key = types.key();
    this.value = types.value();
    this.entries = new StructType().add("key", key).add("value", value);
    this.keys = new StructType().add("key", key);
    this.changes = entries.add("time", DataTypes.LongType).add("there", DataTypes.BooleanType);
    this.bounds = new StructType().add("from", key).add("to", key).add("prefix", key);
  }

  ProcessorStore store() {
    return store;
  }

  /** What a change may be in any case: bytes of JSON for key and value, the first and the last time; null if there is no limit. */
  long[] limits() {
    StateLimit limit = store.limit();
    return limit == null ? null : new long[] {limit.most(0), limit.times()[0], limit.times()[1]};
  }

  /** Why the changelog refuses an entry; empty if it accepts it. */
  byte[] refusal(byte[] question) {
    InternalRow row = ArrowRows.read(changes, question).get(0);
    String late = store.limit().timeRefusal(row.getLong(2));
    String refusal = late == null ? store.limit().valueRefusal(at(row, 0), row.isNullAt(1) ? null : row.get(1, value)) : late;
    return refusal == null ? new byte[0] : refusal.getBytes(StandardCharsets.UTF_8);
  }

  /** The entries of the records' keys, where these have the type of the store's keys. */
  byte[] known(List<StreamRecord> records, NodeSpec spec, Task task) {
    List<StreamRecord> own = new ArrayList<>();
    for (StreamRecord r : records) {
      if (r.key != null && task.program().types().get(spec.inputs.get(r.port())).key().equals(key)) {
        own.add(r);
      }
    }
    store.fetch(task.codec(key).keysOf(own));
    Map<Bytes, InternalRow> out = new LinkedHashMap<>();
    own.forEach(r -> out.computeIfAbsent(new Bytes(task.keyBytes(r, task.codec(key))), k -> row(store.get(r.key))));
    return ArrowRows.write(entries, new ArrayList<>(out.values()));
  }

  private static InternalRow row(ProcessorStore.Entry entry) {
    return new GenericInternalRow(new Object[] {entry.key(), entry.value()});
  }

  byte[] get(byte[] question) {
    return ArrowRows.write(entries, ArrowRows.read(keys, question).stream().map(row -> row(store.get(at(row, 0)))).toList());
  }

  byte[] scan(JsonNode head, byte[] question) {
    InternalRow range = ArrowRows.read(bounds, question).get(0);
    ProcessorStore.Scan scan = new ProcessorStore.Scan(at(range, 0), at(range, 1), at(range, 2),
        head.get("reverse").asBoolean(), head.get("after").asBoolean(), head.get("most").asInt());
    return ArrowRows.write(entries, store.scan(scan).stream().map(ProcessorState::row).toList());
  }

  private Object at(InternalRow row, int i) {
    return row.isNullAt(i) ? null : KeyTypes.widen(row.get(i, key), key);
  }

  /** Writes the entries that the processors have changed. */
  void write(byte[] changed) {
    for (InternalRow row : ArrowRows.read(changes, changed)) {
      store.write(at(row, 0), row.isNullAt(1) ? null : row.get(1, value), row.getLong(2),
          row.isNullAt(3) ? null : row.getBoolean(3));
    }
  }
}
