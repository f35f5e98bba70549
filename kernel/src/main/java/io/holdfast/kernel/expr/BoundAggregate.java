package io.holdfast.kernel.expr;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.CentralMomentAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Aggregate functions of Spark, resolved: what to do at the start, for each record, and for the result. */
public final class BoundAggregate implements Serializable {
  final List<Expression> initial = new ArrayList<>();
  final List<Expression> update = new ArrayList<>();
  final List<Expression> merge = new ArrayList<>();
  final List<Expression> evaluate = new ArrayList<>();
  final List<ImperativeAggregate> imperatives = new ArrayList<>();
  final List<Integer> imperativeResults = new ArrayList<>();
  final List<DataType> bufferTypes = new ArrayList<>();
  final List<DataType> resultTypes = new ArrayList<>();
  final List<Expression> results = new ArrayList<>();
  final List<Expression> imperativeInputs = new ArrayList<>();
  private final List<String> names;
  private final int slots;
  private boolean mayFail;
  private boolean onlyTotals = true;
  private Totals totals;
  private boolean exact = true;

  private BoundAggregate(Scope scope, List<String> names) {
    this.names = List.copyOf(names);
    this.slots = scope.slots();
  }

  static BoundAggregate of(Scope scope, LogicalPlan plan, List<String> names) {
    var parts = PhysicalAggregation.unapply(plan);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("not an aggregate: every field of agg() must be an aggregate function");
    }
    BoundAggregate out = new BoundAggregate(scope, names);
    List<AggregateExpression> functions = ScalaCollections.list(parts.get()._2());
    List<Attribute> buffer = out.bufferOf(functions);
    List<Attribute> both = new ArrayList<>(buffer);
    functions.forEach(f -> both.addAll(ScalaCollections.list(f.aggregateFunction().inputAggBufferAttributes())));
    List<Attribute> attributes = new ArrayList<>();
    for (AggregateExpression f : functions) {
      out.add(f, buffer, both, scope);
      attributes.add(f.resultAttribute());
      out.mayFail |= !alwaysHasResult(f.aggregateFunction());
      out.onlyTotals &= f.aggregateFunction() instanceof Count || f.aggregateFunction() instanceof Sum;
      out.exact &= ExactMerge.of(f.aggregateFunction());
      out.resultTypes.add(f.resultAttribute().dataType());
    }
    for (NamedExpression e : ScalaCollections.list(parts.get()._3())) {
      out.results.add(bind((Expression) e, attributes));
      out.mayFail |= !(e instanceof Attribute || e instanceof Alias a && a.child() instanceof Attribute);
    }
    out.totals = Totals.of(functions, scope, out);
    return out;
  }

  private static boolean alwaysHasResult(AggregateFunction f) {
    return f instanceof ImperativeAggregate
        || f instanceof CentralMomentAgg
        || f instanceof Average && f.dataType() instanceof DoubleType
        || f instanceof DeclarativeAggregate d && d.evaluateExpression() instanceof Attribute;
  }

  private List<Attribute> bufferOf(List<AggregateExpression> functions) {
    List<Attribute> buffer = new ArrayList<>();
    for (AggregateExpression f : functions) {
      refuse(f);
      buffer.addAll(ScalaCollections.list(f.aggregateFunction().aggBufferAttributes()));
    }
    buffer.forEach(a -> bufferTypes.add(a.dataType()));
    return buffer;
  }

  private static void refuse(AggregateExpression f) {
    if (f.isDistinct()) {
      throw new IllegalArgumentException(
          f.aggregateFunction().prettyName() + "(DISTINCT) keeps every value it has seen; use collect_set or approx_count_distinct");
    }
    if (f.filter().isDefined()) {
      throw new IllegalArgumentException("FILTER in an aggregate is not supported; use F.when(condition, value) inside it");
    }
  }

  private void add(AggregateExpression expression, List<Attribute> buffer, List<Attribute> both, Scope scope) {
    AggregateFunction f = expression.aggregateFunction();
    int offset = initial.size();
    if (f instanceof DeclarativeAggregate d) {
      initial.addAll(ScalaCollections.list(d.initialValues()));
      for (Expression e : ScalaCollections.list(d.updateExpressions())) {
        update.add(bind(e, joined(buffer, scope)));
      }
      for (Expression e : ScalaCollections.list(d.mergeExpressions())) {
        merge.add(bind(e, both));
      }
      evaluate.add(bind(d.evaluateExpression(), buffer));
      return;
    }
    ImperativeAggregate imperative =
        (ImperativeAggregate) bind((Expression) f, ScalaCollections.list(scope.attributes()));
    imperative = imperative.withNewMutableAggBufferOffset(offset).withNewInputAggBufferOffset(offset);
    imperatives.add(imperative);
    imperativeInputs.addAll(ScalaCollections.list(((Expression) imperative).children()));
    imperativeResults.add(evaluate.size());
    for (int i = 0; i < f.aggBufferAttributes().size(); i++) {
      initial.add(org.apache.spark.sql.catalyst.expressions.aggregate.NoOp$.MODULE$);
      update.add(org.apache.spark.sql.catalyst.expressions.aggregate.NoOp$.MODULE$);
      merge.add(org.apache.spark.sql.catalyst.expressions.aggregate.NoOp$.MODULE$);
    }
    evaluate.add(org.apache.spark.sql.catalyst.expressions.aggregate.NoOp$.MODULE$);
  }

  private static List<Attribute> joined(List<Attribute> buffer, Scope scope) {
    List<Attribute> all = new ArrayList<>(buffer);
    all.addAll(ScalaCollections.list(scope.attributes()));
    return all;
  }

  private static Expression bind(Expression e, List<Attribute> input) {
    return Binding.bind(e, input);
  }

  /** The type of the aggregate's result. */
  public StructType type() {
    StructField[] fields = new StructField[names.size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = DataTypes.createStructField(names.get(i), results.get(i).dataType().asNullable(), true);
    }
    return new StructType(fields);
  }

  /** The type of the buffers. */
  public StructType bufferType() {
    StructType out = new StructType();
    for (int i = 0; i < bufferTypes.size(); i++) {
      out = out.add("b" + i, bufferTypes.get(i));
    }
    return out;
  }

  /** The types of the buffers, and the input types of functions whose buffers do not show them. */
  public StructType remembered() {
    StructType out = bufferType();
    for (int i = 0; i < imperativeInputs.size(); i++) {
      out = out.add("of" + i, imperativeInputs.get(i).dataType().asNullable());
    }
    return out;
  }

  /** Whether the record's metadata must be filled in before updating. */
  public boolean usesMeta() {
    int input = bufferTypes.size();
    return update.stream().anyMatch(e -> BoundExpressions.usesMeta(e, input + slots))
        || imperativeInputs.stream().anyMatch(e -> BoundExpressions.usesMeta(e, slots));
  }

  /** Its functions as totals that can retract rows, or null if there are other functions. */
  public Totals totals() {
    return totals;
  }

  /** Whether there are only counts and sums, so that a group without rows has a value. */
  boolean onlyTotals() {
    return onlyTotals;
  }

  /** Whether the result of some buffers may fail. */
  boolean mayFail() {
    return mayFail;
  }

  /** Whether merged buffers are those that all their records would have made, in any order. */
  public boolean mergesExactly() {
    return exact && !mayFail;
  }

  /** Code for the functions; one per thread. */
  public Aggregator open() {
    return new Aggregator(this);
  }
}
