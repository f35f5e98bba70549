package io.holdfast.kernel.nodes.streams;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;

/** Emits any number of records for one; none for null or an empty array. */
public final class FlatMap extends Stateless.Projecting {
  private final DataType element;
  private final DataType key;
  private final DataType value;

  /** With a key type the array holds (key, value) pairs, without it values. */
  public FlatMap(NodeSpec spec, Task task, BoundExpressions items, DataType element, DataType key, DataType value) {
    super(spec, task, items);
    this.element = element;
    this.key = key;
    this.value = value;
  }

  @Override
  protected void process(StreamRecord r) {
    ArrayData items = (ArrayData) value(r);
    for (int i = 0; items != null && i < items.numElements(); i++) {
      Object item = items.isNullAt(i) ? null : items.get(i, element);
      StreamRecord one = r.at(Order.emission(r.order, i));
      if (key == null) {
        emit(one.withValue(item));
      } else if (item != null) {
        InternalRow pair = (InternalRow) item;
        emit(one.withKeyAndValue(KeyTypes.widen(get(pair, 0, key), key), get(pair, 1, value)));
      }
    }
  }

  private static Object get(InternalRow row, int i, DataType type) {
    return row.isNullAt(i) ? null : row.get(i, type);
  }
}
