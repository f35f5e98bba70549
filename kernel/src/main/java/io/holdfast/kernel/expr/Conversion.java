package io.holdfast.kernel.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** Casts a resolved expression to another type; Spark casts records by position, this by the names of their fields. */
final class Conversion {
  private Conversion() {}

  static Expression of(Expression e, DataType to) {
    DataType from = e.dataType();
    if (from.asNullable().equals(to.asNullable())) {
      return e;
    }
    if (!sameOrder(from, to) && from instanceof StructType f && to instanceof StructType t) {
      return byName(e, f, t);
    }
    if (!sameOrder(from, to)) {
      throw new IllegalArgumentException("the fields of " + from.sql() + " must have the order of " + to.sql()
          + "; make new records with F.transform");
    }
    return new Cast(e, to, Option.apply("UTC"), EvalMode.ANSI());
  }

  private static Expression byName(Expression e, StructType from, StructType to) {
    List<Expression> parts = new ArrayList<>();
    for (StructField field : to.fields()) {
      Expression part = new GetStructField(e, from.fieldIndex(field.name()), Option.apply(field.name()));
      parts.add(Literals.string(field.name()));
      parts.add(of(part, field.dataType()));
    }
    Expression made = new CreateNamedStruct(ScalaCollections.seq(parts));
    return e.nullable() ? new If(new IsNull(e), new Literal(null, made.dataType()), made) : made;
  }

  private static boolean sameOrder(DataType from, DataType to) {
    if (from instanceof StructType f && to instanceof StructType t) {
      return Arrays.equals(f.fieldNames(), t.fieldNames()) && allSameOrder(f, t);
    }
    if (from instanceof ArrayType f && to instanceof ArrayType t) {
      return sameOrder(f.elementType(), t.elementType());
    }
    return !(from instanceof MapType f && to instanceof MapType t)
        || sameOrder(f.keyType(), t.keyType()) && sameOrder(f.valueType(), t.valueType());
  }

  private static boolean allSameOrder(StructType from, StructType to) {
    for (int i = 0; i < from.size(); i++) {
      if (!sameOrder(from.fields()[i].dataType(), to.fields()[i].dataType())) {
        return false;
      }
    }
    return true;
  }
}
