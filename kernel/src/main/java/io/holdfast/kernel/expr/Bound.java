package io.holdfast.kernel.expr;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.types.DataType;

/** Resolved expressions, ready to be sent to an executor and opened there. */
public final class Bound implements Serializable {
  private final Expression[] expressions;
  private final boolean meta;

  Bound(Scope scope, List<Expression> expressions) {
    this(expressions.toArray(new Expression[0]), expressions.stream().anyMatch(e -> usesMeta(e, scope.slots())));
  }

  private Bound(Expression[] expressions, boolean meta) {
    this.expressions = expressions;
    this.meta = meta;
  }

  /** The same with the first result fit for a key: zero has one form, and so has NaN. */
  public Bound forKey() {
    Expression[] out = expressions.clone();
    out[0] = NormalizeFloatingNumbers$.MODULE$.normalize(out[0]);
    return new Bound(out, meta);
  }

  static boolean usesMeta(Expression e, int slots) {
    if (e instanceof BoundReference r) {
      return r.ordinal() >= slots;
    }
    return Scalas.list(e.children()).stream().anyMatch(c -> usesMeta(c, slots));
  }

  /** The type of the i-th result; every part of it may be null. */
  public DataType type(int i) {
    return expressions[i].dataType().asNullable();
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
