package io.holdfast.kernel.nodes.aggregates;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * A row of a table as a record for its group: its key in the table, and its value.
 *
 * @param row the type of the table's keys
 * @param value the type of the table's values
 */
public record GroupRow(DataType row, DataType value) implements Serializable {
  /** The types out of what {@link #type} gave. */
  public static GroupRow of(DataType pair) {
    StructType struct = (StructType) pair;
    return new GroupRow(struct.fields()[0].dataType(), struct.fields()[1].dataType());
  }

  public DataType type() {
    return new StructType().add("row", row).add("value", value);
  }

  Object pair(Object key, Object rowValue) {
    return new GenericInternalRow(new Object[] {key, rowValue});
  }

  Object rowOf(Object pair) {
    return ((InternalRow) pair).get(0, row);
  }

  Object valueOf(Object pair) {
    return ((InternalRow) pair).get(1, value);
  }
}
