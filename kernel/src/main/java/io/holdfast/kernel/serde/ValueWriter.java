package io.holdfast.kernel.serde;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Writes one value of a row or array, which is not null. */
interface ValueWriter {
  void write(SpecializedGetters values, int index, Utf8Buffer out);
}
