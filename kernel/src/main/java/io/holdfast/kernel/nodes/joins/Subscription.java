package io.holdfast.kernel.nodes.joins;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A message of an entry of a table to the entry of another table that it refers to.
 *
 * @param key the entry's own key
 * @param value its value; null if it was deleted
 * @param action whether it subscribes or unsubscribes, and whether a result is emitted
 */
record Subscription(Object key, Object value, byte action) {
  /** Subscribes, and emits the result, a delete if there is no match. */
  static final byte EMIT_ALWAYS = 0;
  /** Subscribes, as before or for the first time, and emits a match, but no delete if there is none. */
  static final byte EMIT_IF_MATCHED = 1;
  /** Unsubscribes; a subscription of the same entry to another key follows. */
  static final byte UNSUBSCRIBE = 2;
  /** Unsubscribes, and emits a delete of the result. */
  static final byte UNSUBSCRIBE_AND_EMIT = 3;

  static StructType type(DataType key, DataType value) {
    return new StructType().add("key", key).add("value", value).add("what", DataTypes.ByteType);
  }

  Object row() {
    return new GenericInternalRow(new Object[] {key, value, action});
  }

  static Subscription of(Object row, StructType type) {
    InternalRow fields = (InternalRow) row;
    Object value = fields.isNullAt(1) ? null : fields.get(1, type.apply(1).dataType());
    return new Subscription(fields.get(0, type.apply(0).dataType()), value, fields.getByte(2));
  }

  boolean unsubscribes() {
    return action == UNSUBSCRIBE || action == UNSUBSCRIBE_AND_EMIT;
  }
}
