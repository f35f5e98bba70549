package io.holdfast.kernel.expr;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.analysis.SimpleAnalyzer;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import scala.Option;

/** Resolves expressions of the plan document with Spark's own analyser; needs no Spark session. */
public final class Compiler {
  private static final SQLConf CONF = conf();
  private static final Set<String> CLOCKS = Set.of(
      "CurrentTimestamp", "Now", "CurrentDate", "LocalTimestamp", "CurrentTime", "CurrentBatchTimestamp");

  private Compiler() {}

  private static SQLConf conf() {
    SQLConf conf = new SQLConf();
    conf.setConfString("spark.sql.session.timeZone", "UTC");
    // Decimals that are compared or stand for each other keep their fraction, or fail; Spark would round it away.
    conf.setConfString("spark.sql.legacy.decimal.retainFractionDigitsOnTruncate", "true");
    return conf;
  }

  /** Several expressions as one projection. */
  public static BoundExpressions bind(Scope scope, JsonNode... expressions) {
    return bind(scope, null, expressions);
  }

  /** An expression cast to a given type; refused if that type cannot hold it. `target` names what has the type. */
  public static BoundExpressions fitted(Scope scope, DataType type, String target, JsonNode expression) {
    return projection(scope, List.of(new DeclaredCast(new ExpressionJson(scope).parseResult(expression), type, target)));
  }

  /** Several expressions as one projection, each cast to the wanted type where one is given. */
  public static BoundExpressions bind(Scope scope, DataType[] wanted, JsonNode... expressions) {
    ExpressionJson json = new ExpressionJson(scope);
    List<Expression> list = new ArrayList<>();
    for (int i = 0; i < expressions.length; i++) {
      Expression e = json.parseResult(expressions[i]);
      list.add(wanted == null || wanted[i] == null ? e : ExpressionJson.cast(e, wanted[i]));
    }
    return projection(scope, list);
  }

  private static BoundExpressions projection(Scope scope, List<Expression> expressions) {
    List<NamedExpression> list = new ArrayList<>();
    expressions.forEach(e -> list.add(alias(e, "c" + list.size())));
    return SQLConf.withExistingConf(CONF, () -> {
      LogicalPlan plan = evaluable(new Project(ScalaCollections.seq(list), relation(scope)));
      if (!(plan instanceof Project project && project.child() instanceof LocalRelation)) {
        throw new IllegalArgumentException("an expression makes one value of one record; aggregate functions belong into"
            + " agg(name=...), and what makes several rows into flat_map_values");
      }
      return bound(scope, project.projectList());
    });
  }

  private static BoundExpressions bound(Scope scope, scala.collection.Seq<NamedExpression> projectList) {
    List<Expression> out = new ArrayList<>();
    for (NamedExpression named : ScalaCollections.list(projectList)) {
      Expression e = named instanceof Alias a ? a.child() : (Expression) named;
      out.add(bindTo(scope, UntypedNulls.filled(e)));
    }
    return new BoundExpressions(scope, out);
  }

  /** Named aggregate expressions over the scope. */
  public static BoundAggregate aggregate(Scope scope, List<String> names, List<JsonNode> expressions) {
    ExpressionJson json = new ExpressionJson(scope);
    List<NamedExpression> list = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      list.add(alias(json.parse(expressions.get(i)), names.get(i)));
    }
    return SQLConf.withExistingConf(CONF, () -> {
      LogicalPlan plan = evaluable(new Aggregate(ScalaCollections.seq(), ScalaCollections.seq(list), relation(scope), Option.empty()));
      return BoundAggregate.of(scope, plan, names);
    });
  }

  private static NamedExpression alias(Expression e, String name) {
    return new Alias(e, name, NamedExpression.newExprId(), ScalaCollections.seq(), Option.empty(), ScalaCollections.seq());
  }

  private static LogicalPlan relation(Scope scope) {
    return new LocalRelation(scope.attributes(), ScalaCollections.seq(), false, Option.empty());
  }

  private static LogicalPlan evaluable(LogicalPlan plan) {
    LogicalPlan analysed = SimpleAnalyzer.executeAndCheck(plan, new QueryPlanningTracker(Option.empty()));
    for (Expression e : ScalaCollections.list(analysed.expressions())) {
      refuseUnrepeatable(e, false);
    }
    return EvaluableForm.plan(analysed);
  }

  /** A repeated batch must have the same result. */
  private static void refuseUnrepeatable(Expression e, boolean inAggregate) {
    boolean aggregate = inAggregate || e instanceof org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
    boolean random = !aggregate && !e.deterministic() && ScalaCollections.list(e.children()).stream().allMatch(Expression::deterministic);
    if (random || CLOCKS.contains(e.getClass().getSimpleName())) {
      throw new IllegalArgumentException(
          e.prettyName() + "() gives another answer when a batch is repeated; for the record's time use hf.timestamp()");
    }
    ScalaCollections.list(e.children()).forEach(c -> refuseUnrepeatable(c, aggregate));
  }

  static Expression bindTo(Scope scope, Expression e) {
    return Binding.bind(e, ScalaCollections.list(scope.attributes()));
  }
}
