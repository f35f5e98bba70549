package io.holdfast.kernel.nodes.processors;

import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.NodeTypes;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.Program;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.ArrowRows;
import io.holdfast.kernel.workers.PythonCalendar;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Converts records for processors, and what these forward. */
final class ProcessorRows {
  static final int AT = 0;
  static final int NUMBER = 1;
  /** Whether the key must be one of this task: a punctuation may take any. */
  static final int INSIDE = 2;
  static final int TIME = 3;
  static final int SAME = 4;
  private static final int HEADERS = 5;
  private static final int KEY = 6;
  private static final int VALUE = 7;
  private static final StructType HEADER = new StructType().add("name", DataTypes.StringType).add("value", DataTypes.BinaryType);
  private static final StructType ABOUT = new StructType()
      .add("port", DataTypes.IntegerType).add("time", DataTypes.LongType).add("topic", DataTypes.IntegerType)
      .add("partition", DataTypes.IntegerType).add("offset", DataTypes.LongType).add("headers", new ArrayType(HEADER, false));
  private final List<NodeTypes> inputs;
  private final List<PythonCalendar> keyCalendars;
  private final List<PythonCalendar> valueCalendars;
  private final List<NodeTypes> children;
  private final List<StructType> forwarded;

  ProcessorRows(NodeSpec spec, Program program, List<String> children) {
    this.inputs = spec.inputs.stream().map(program.types()::get).toList();
    this.keyCalendars = inputs.stream().map(input -> new PythonCalendar(input.key())).toList();
    this.valueCalendars = inputs.stream().map(input -> new PythonCalendar(input.value())).toList();
    this.children = children.stream().map(program.types()::get).toList();
    this.forwarded = this.children.stream().map(child -> new StructType()
        .add("at", DataTypes.IntegerType).add("number", DataTypes.IntegerType).add("inside", DataTypes.BooleanType)
        .add("time", DataTypes.LongType).add("same", DataTypes.BooleanType).add("headers", new ArrayType(HEADER, false))
        .add("key", child.key()).add("value", child.value())).toList();
  }

  /** Why the record cannot be converted to Python values, or null. */
  String wrong(StreamRecord r) {
    String key = keyCalendars.get(r.port()).wrong("key", r.key);
    return key == null ? valueCalendars.get(r.port()).wrong("value", r.value) : key;
  }

  /** The metadata of each record, then keys and values by input. */
  List<byte[]> arguments(List<StreamRecord> records) {
    List<InternalRow> about = new ArrayList<>(records.size());
    List<List<InternalRow>> pairs = new ArrayList<>();
    inputs.forEach(input -> pairs.add(new ArrayList<>()));
    for (StreamRecord r : records) {
      about.add(about(r));
      pairs.get(r.port()).add(new GenericInternalRow(new Object[] {r.key, r.value}));
    }
    List<byte[]> out = new ArrayList<>();
    out.add(ArrowRows.write(ABOUT, about));
    for (int i = 0; i < pairs.size(); i++) {
      NodeTypes types = inputs.get(i);
      out.add(ArrowRows.write(new StructType().add("key", types.key()).add("value", types.value()), pairs.get(i)));
    }
    return out;
  }

  private static InternalRow about(StreamRecord r) {
    boolean real = Order.hasSource(r.order);
    Object topic = real ? Order.topic(r.order) : null;
    Object partition = real ? Order.partition(r.order) : null;
    Object offset = real ? Order.offset(r.order) : null;
    return new GenericInternalRow(new Object[] {r.port(), r.timestamp, topic, partition, offset, headers(r.headers)});
  }

  private static ArrayData headers(RawHeader[] headers) {
    if (headers == null || headers.length == 0) {
      return null;
    }
    Object[] out = new Object[headers.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = new GenericInternalRow(new Object[] {UTF8String.fromString(headers[i].name()), headers[i].value()});
    }
    return new GenericArrayData(out);
  }

  List<InternalRow> forwarded(int child, byte[] made) {
    return ArrowRows.read(forwarded.get(child), made);
  }

  Object key(int child, InternalRow row) {
    DataType type = children.get(child).key();
    return row.isNullAt(KEY) ? null : KeyTypes.widen(row.get(KEY, type), type);
  }

  Object value(int child, InternalRow row) {
    return row.isNullAt(VALUE) ? null : row.get(VALUE, children.get(child).value());
  }

  static RawHeader[] headers(InternalRow row) {
    ArrayData given = row.isNullAt(HEADERS) ? null : row.getArray(HEADERS);
    RawHeader[] out = new RawHeader[given == null ? 0 : given.numElements()];
    for (int i = 0; i < out.length; i++) {
      InternalRow header = given.getStruct(i, 2);
      out[i] = new RawHeader(header.getUTF8String(0).toString(), header.isNullAt(1) ? null : header.getBinary(1));
    }
    return out.length == 0 ? null : out;
  }

  /** Whether a key that must not change belongs to another task than the current one. */
  boolean isElsewhere(int child, StreamRecord r, Task task) {
    if (r.key == null) {
      return false;
    }
    byte[] key = task.keyBytes(r, task.codec(children.get(child).key()));
    return task.tasks().labelOf(key, task.tasks().count()) != task.label();
  }
}
