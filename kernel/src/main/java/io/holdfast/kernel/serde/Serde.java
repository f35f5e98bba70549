package io.holdfast.kernel.serde;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/** Turns the bytes of a record's key or value into a Catalyst value and back; used by one thread at a time. */
public interface Serde extends Serializable {
  /** The type of the values. */
  DataType type();

  /** The value in the bytes; null for null. */
  Object decode(byte[] bytes) throws BadRecord;

  /** The bytes of the value; null for null. */
  byte[] encode(Object value);
}
