package io.holdfast.kernel.expr;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Types untyped nulls as strings. */
final class UntypedNulls {
  private UntypedNulls() {}

  static Expression filled(Expression e) {
    DataType type = filled(e.dataType());
    return type.equals(e.dataType()) ? e : ExpressionJson.cast(e, type);
  }

  private static DataType filled(DataType type) {
    if (type instanceof NullType) {
      return DataTypes.StringType;
    }
    if (type instanceof ArrayType a) {
      return new ArrayType(filled(a.elementType()), a.containsNull());
    }
    if (type instanceof MapType m) {
      return new MapType(filled(m.keyType()), filled(m.valueType()), m.valueContainsNull());
    }
    if (type instanceof StructType s) {
      return new StructType(Arrays.stream(s.fields())
          .map(f -> new StructField(f.name(), filled(f.dataType()), f.nullable(), f.metadata()))
          .toArray(StructField[]::new));
    }
    return type;
  }
}
