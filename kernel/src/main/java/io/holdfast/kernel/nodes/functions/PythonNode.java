package io.holdfast.kernel.nodes.functions;

import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.workers.ArrowRows;
import io.holdfast.kernel.workers.PythonFunction;
import io.holdfast.kernel.workers.PythonWorkerLost;
import io.holdfast.kernel.workers.RowSize;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Adds the result of a Python function to the value of each record: {value, result}. */
public final class PythonNode extends Node {
  private static final int MOST = 10_000;
  private static final int MOST_BYTES = 16 << 20;
  private static final int MOST_LOST = 10;
  private static final int MOST_LOST_IN_A_ROW = 2;
  private final PythonFunction function;
  private final StructType arguments;
  private final StructType answer;
  private final DataType result;

  public PythonNode(NodeSpec spec, Task task, PythonFunction function, DataType key, DataType value, DataType result) {
    super(spec.id);
    this.function = function;
    this.arguments = new StructType().add("key", key).add("value", value);
    this.answer = new StructType().add("result", result).add("error", DataTypes.StringType);
    this.result = result;
  }

  /** The type of the values that it emits. */
  public static StructType type(DataType value, DataType result) {
    return new StructType().add("value", value).add("result", result);
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < batch.size(); i++) {
      bytes += RowSize.of(batch.get(i).value);
      if (i + 1 - from >= MOST || bytes >= MOST_BYTES || i + 1 == batch.size()) {
        part(batch.subList(from, i + 1));
        from = i + 1;
        bytes = 0;
      }
    }
  }

  private void part(List<StreamRecord> records) {
    try {
      called(records);
    } catch (PythonWorkerLost lost) {
      if (!lost.began()) {
        throw lost;
      }
      oneByOne(records);
    }
  }

  /** Calls the function for each record by itself, so that only a record that always ends the worker is a dead letter. */
  private void oneByOne(List<StreamRecord> records) {
    int ended = 0;
    int inRow = 0;
    for (StreamRecord r : records) {
      try {
        called(List.of(r));
        inRow = 0;
      } catch (PythonWorkerLost lost) {
        if (++ended > MOST_LOST || ++inRow > MOST_LOST_IN_A_ROW) {
          throw lost;
        }
        task.deadLetter(this, r, lost.getMessage());
      }
    }
  }

  private void called(List<StreamRecord> records) {
    List<InternalRow> rows = new ArrayList<>(records.size());
    for (StreamRecord r : records) {
      rows.add(new GenericInternalRow(new Object[] {r.key, r.value}));
    }
    List<InternalRow> answers = ArrowRows.read(answer, task.python().call(function, ArrowRows.write(arguments, rows)));
    for (int i = 0; i < answers.size(); i++) {
      take(records.get(i), answers.get(i));
    }
  }

  private void take(StreamRecord r, InternalRow answered) {
    if (!answered.isNullAt(1)) {
      task.deadLetter(this, r, answered.getUTF8String(1).toString());
      return;
    }
    Object made = answered.isNullAt(0) ? null : answered.get(0, result);
    emit(r.withValue(new GenericInternalRow(new Object[] {r.value, made})));
  }
}
