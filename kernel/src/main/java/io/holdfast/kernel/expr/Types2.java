package io.holdfast.kernel.expr;

import org.apache.spark.sql.types.DataType;

/** Small helpers on Spark types. */
final class Types2 {
  private Types2() {}

  /** The type with every field, element and value nullable: what really arrives after joins and parsing. */
  static DataType nullable(DataType type) {
    return type.asNullable();
  }
}
