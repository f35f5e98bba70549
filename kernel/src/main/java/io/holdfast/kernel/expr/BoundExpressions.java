package io.holdfast.kernel.expr;

import io.holdfast.kernel.serde.WindowTimes;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Resolved expressions, ready to be sent to an executor and opened there. */
public final class BoundExpressions implements Serializable {
  private final Expression[] expressions;
  private final boolean meta;

  BoundExpressions(Scope scope, List<Expression> expressions) {
    this(scope.slots(), expressions);
  }

  BoundExpressions(int slots, List<Expression> expressions) {
    this(expressions.toArray(new Expression[0]), expressions.stream().anyMatch(e -> usesMeta(e, slots)));
  }

  private BoundExpressions(Expression[] expressions, boolean meta) {
    this.expressions = expressions;
    this.meta = meta;
  }

  /** The same with the first result as a key: zero and NaN are normalized. */
  public BoundExpressions forKey() {
    Expression[] out = expressions.clone();
    out[0] = NormalizeFloatingNumbers$.MODULE$.normalize(out[0]);
    return new BoundExpressions(out, meta);
  }

  static boolean usesMeta(Expression e, int slots) {
    if (e instanceof BoundReference r) {
      return r.ordinal() >= slots;
    }
    return ScalaCollections.list(e.children()).stream().anyMatch(c -> usesMeta(c, slots));
  }

  /** The type of the i-th result; every part of it may be null. */
  public DataType type(int i) {
    return typeOf(expressions[i]).asNullable();
  }

  /** A record made of a window's times is a plain record; Spark's metadata of a window is dropped. */
  private static DataType typeOf(Expression e) {
    if (e instanceof CreateNamedStruct made) {
      List<Expression> values = ScalaCollections.list(made.valExprs());
      StructType type = WindowTimes.unmarked((StructType) made.dataType());
      StructType out = new StructType();
      for (int i = 0; i < values.size(); i++) {
        out = out.add(type.fields()[i].name(), typeOf(values.get(i)), true, type.fields()[i].metadata());
      }
      return out;
    }
    return e.dataType();
  }

  public int size() {
    return expressions.length;
  }

  /** Whether the record's metadata must be filled in before evaluating. */
  public boolean usesMeta() {
    return meta;
  }

  Expression[] expressions() {
    return expressions;
  }

  /** Code for the expressions; one per thread. */
  public Evaluator open() {
    return new Evaluator(this);
  }
}
