package io.holdfast.kernel.expr;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.serde.TypeJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedExtractValue;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LambdaFunction;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.UnresolvedNamedLambdaVariable;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;
import scala.Tuple2;

/** Turns an expression of the plan document into an unresolved Catalyst expression. */
final class ExpressionJson {
  /** Literals that are a time of the clock. */
  private static final Pattern MOMENT =
      Pattern.compile("(?i)\\b(date|timestamp(_ltz|_ntz)?)\\s*(['\"])\\s*(now|today|tomorrow|yesterday)\\b[^'\"]*\\3");
  /** Sums of decimals keep their scale, and fail if they have too many digits; Spark would drop those at the end. */
  private static final NumericEvalContext KEEPING_SCALE = new NumericEvalContext(EvalMode.ANSI(), false);
  private static final Map<String, BinaryOperator<Expression>> EXACT =
      Map.of("+", (a, b) -> new Add(a, b, KEEPING_SCALE), "-", (a, b) -> new Subtract(a, b, KEEPING_SCALE));
  private final Scope scope;

  ExpressionJson(Scope scope) {
    this.scope = scope;
  }

  /** The result of an expression: integer constants in it are longs, as in Python; as arguments of functions they stay ints, as in Spark. */
  Expression parseResult(JsonNode e) {
    if (e != null && e.has("lit") && !e.has("type") && e.get("lit").isIntegralNumber()) {
      return new Literal(e.get("lit").asLong(), DataTypes.LongType);
    }
    return parse(e);
  }

  Expression parse(JsonNode e) {
    if (e == null || e.isNull()) {
      return Literals.ofNull();
    }
    if (e.has("slot")) {
      return slot(e);
    }
    if (e.has("lit")) {
      return e.has("type") ? Literals.typed(e.get("lit"), TypeJson.of(e.get("type"))) : Literals.inferred(e.get("lit"));
    }
    if (e.has("call")) {
      return call(e);
    }
    if (e.has("cast")) {
      Expression child = parse(e.get("cast"));
      return e.path("declared").asBoolean()
          ? new DeclaredCast(child, TypeJson.of(e.get("to")), "its declared type")
          : cast(child, TypeJson.of(e.get("to")));
    }
    if (e.has("case")) {
      return caseWhen(e);
    }
    if (e.has("struct")) {
      return struct(e.get("struct"));
    }
    if (e.has("array")) {
      return new CreateArray(ScalaCollections.seq(results(e.get("array"))), false);
    }
    if (e.has("get")) {
      return new UnresolvedExtractValue(parse(e.get("get")), parse(e.get("key")));
    }
    if (e.has("lambda")) {
      return lambda(e);
    }
    if (e.has("var")) {
      return new UnresolvedNamedLambdaVariable(ScalaCollections.seq(e.get("var").asText()));
    }
    if (e.has("meta")) {
      return attribute(List.of(Scope.META + e.get("meta").asText()));
    }
    if (e.has("star")) {
      return new UnresolvedStar(Option.empty());
    }
    if (e.has("sql")) {
      return sql(e.get("sql").asText());
    }
    throw new IllegalArgumentException("not an expression: " + e);
  }

  static Expression cast(Expression e, DataType type) {
    return new Cast(e, type, Option.empty(), EvalMode.ANSI());
  }

  private List<Expression> all(JsonNode items) {
    List<Expression> out = new ArrayList<>();
    items.forEach(i -> out.add(parse(i)));
    return out;
  }

  private List<Expression> results(JsonNode items) {
    List<Expression> out = new ArrayList<>();
    items.forEach(i -> out.add(parseResult(i)));
    return out;
  }

  private Expression slot(JsonNode e) {
    List<String> parts = new ArrayList<>();
    parts.add(e.get("slot").asText());
    e.path("path").forEach(p -> parts.add(p.asText()));
    return attribute(parts);
  }

  private static Expression attribute(List<String> parts) {
    return new UnresolvedAttribute(ScalaCollections.seq(parts));
  }

  private Expression call(JsonNode e) {
    String name = e.get("call").asText();
    if (name.equals("!=")) {
      return new Not(new EqualTo(parse(e.get("args").get(0)), parse(e.get("args").get(1))));
    }
    if (PythonDivision.is(name)) {
      return new PythonDivision(
          parse(e.get("args").get(0)), parse(e.get("args").get(1)), name.equals(PythonDivision.QUOTIENT));
    }
    if (EXACT.containsKey(name) && e.get("args").size() == 2) {
      return EXACT.get(name).apply(parse(e.get("args").get(0)), parse(e.get("args").get(1)));
    }
    requireKnown(name);
    boolean count = name.equals("count") && e.get("args").size() == 1 && e.get("args").get(0).has("star");
    List<Expression> arguments = count ? List.of(Literals.inferred(e.get("args").get(0).get("star"))) : all(e.path("args"));
    Option<Object> ignoreNulls = e.path("ignore_nulls").asBoolean(false) ? Option.apply(Boolean.TRUE) : Option.empty();
    return new UnresolvedFunction(
        ScalaCollections.seq(name), ScalaCollections.seq(arguments), e.path("distinct").asBoolean(false), Option.empty(), ignoreNulls,
        ScalaCollections.seq(), false);
  }

  private static void requireKnown(String function) {
    if (!FunctionRegistry$.MODULE$.builtin().functionExists(new FunctionIdentifier(function))) {
      throw new IllegalArgumentException("Spark has no function '" + function + "'");
    }
  }

  private Expression caseWhen(JsonNode e) {
    List<Tuple2<Expression, Expression>> branches = new ArrayList<>();
    e.get("case").forEach(b -> branches.add(new Tuple2<>(parse(b.get(0)), parseResult(b.get(1)))));
    Option<Expression> otherwise = e.hasNonNull("else") ? Option.apply(parseResult(e.get("else"))) : Option.empty();
    return new CaseWhen(ScalaCollections.seq(branches), otherwise);
  }

  private Expression struct(JsonNode fields) {
    List<Expression> parts = new ArrayList<>();
    fields.forEach(f -> {
      parts.add(Literals.string(f.get(0).asText()));
      parts.add(parseResult(f.get(1)));
    });
    return new CreateNamedStruct(ScalaCollections.seq(parts));
  }

  private Expression lambda(JsonNode e) {
    List<NamedExpression> parameters = new ArrayList<>();
    e.get("lambda").forEach(p -> parameters.add(new UnresolvedNamedLambdaVariable(ScalaCollections.seq(p.asText()))));
    return new LambdaFunction(parse(e.get("body")), ScalaCollections.seq(parameters), false);
  }

  /** SQL text; a name that is no slot is a field of the value. */
  private Expression sql(String text) {
    Matcher moment = MOMENT.matcher(text);
    if (moment.find()) {
      // Spark's parser makes a constant of it, which is different after a restart.
      throw new IllegalArgumentException(
          moment.group() + " gives another answer when a batch is repeated; for the record's time use hf.timestamp()");
    }
    Expression parsed = org.apache.spark.sql.catalyst.parser.CatalystSqlParser$.MODULE$.parseExpression(text);
    return (Expression) parsed.transformUp(new Rewrite() {
      @Override
      protected Expression rewrite(Expression e) {
        if (e instanceof UnresolvedAttribute a && !scope.has(a.nameParts().head())) {
          List<String> parts = new ArrayList<>(List.of("value"));
          parts.addAll(ScalaCollections.list(a.nameParts()));
          return attribute(parts);
        }
        if (e instanceof UnresolvedFunction f) {
          requireKnown(String.join(".", ScalaCollections.list(f.nameParts())));
        }
        return e;
      }
    });
  }
}
