package io.holdfast.kernel.expr;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionDef;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionRef;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.With;
import org.apache.spark.sql.catalyst.optimizer.ConstantFolding$;
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions$;
import org.apache.spark.sql.catalyst.optimizer.ReplaceUpdateFieldsExpression$;
import org.apache.spark.sql.catalyst.optimizer.SimplifyCasts$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Replaces expressions that cannot be evaluated by those that they stand for.
 *
 * <p>Spark's whole optimiser would do that, too, but moves parts of an expression below it and takes ten times as long.
 */
final class EvaluableForm {
  private static final List<Rule<LogicalPlan>> RULES = List.of(
      ReplaceExpressions$.MODULE$, ReplaceUpdateFieldsExpression$.MODULE$);
  private static final List<Rule<LogicalPlan>> CHEAPER = List.of(ConstantFolding$.MODULE$, SimplifyCasts$.MODULE$);

  private EvaluableForm() {}

  static LogicalPlan plan(LogicalPlan analysed) {
    LogicalPlan out = (LogicalPlan) analysed.transformExpressionsUp(OWN);
    for (Rule<LogicalPlan> rule : RULES) {
      out = rule.apply(out);
    }
    out = (LogicalPlan) out.transformExpressions(INLINED);
    out = (LogicalPlan) out.transformExpressionsUp(BOUNDED);
    for (Rule<LogicalPlan> rule : CHEAPER) {
      out = rule.apply(out);
    }
    return out;
  }

  private static final Rewrite BOUNDED = new BoundedLengths();

  /** Replaces Holdfast's own expressions, now that types are known. */
  private static final Rewrite OWN = new Rewrite() {
    @Override
    protected Expression rewrite(Expression e) {
      return e instanceof DeferredExpression deferred ? deferred.evaluable() : e;
    }
  };

  /** A common part is written out where it is used; the code generator computes it once again. */
  private static final Rewrite INLINED = new Rewrite() {
    @Override
    protected Expression rewrite(Expression e) {
      return e instanceof With with ? inlined(with) : e;
    }
  };

  private static Expression inlined(With with) {
    Map<Object, Expression> parts = new HashMap<>();
    for (CommonExpressionDef definition : ScalaCollections.list(with.defs())) {
      parts.put(definition.id(), (Expression) definition.child().transformUp(INLINED));
    }
    return (Expression) with.child().transformUp(new Rewrite() {
      @Override
      protected Expression rewrite(Expression e) {
        if (e instanceof CommonExpressionRef reference && parts.containsKey(reference.id())) {
          return parts.get(reference.id());
        }
        return e instanceof With inner ? inlined(inner) : e;
      }
    });
  }
}
