package io.holdfast.kernel.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.nodes.DslScopes;
import io.holdfast.kernel.nodes.KeyTypes;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.NullableType;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.nodes.streams.Stateless;
import io.holdfast.kernel.nodes.tables.TableCompiler;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.serde.TypeJson;
import io.holdfast.kernel.source.TimeBounds;
import io.holdfast.kernel.task.NodeSpec;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Compiles sources: topics as streams and tables, DataFrames. */
final class SourceCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = Operator.all(SourceCompiler::new, "source", "dataframe");

  SourceCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    return switch (op) {
      case "source" -> sourceNode();
      case "dataframe" -> dataFrame();
      default -> throw new IllegalArgumentException("unknown operation '" + op + "'");
    };
  }

  private NodeSpec sourceNode() {
    DataType key = KeyTypes.of(NullableType.of(Serdes.of(node.get("key")).type()));
    DataType value = NullableType.of(Serdes.of(node.get("value")).type());
    if (node.get("kind").asText().equals("stream")) {
      return stateless(key, value, (s, t) -> new Stateless.Pass(s));
    }
    return TableCompiler.latestValues(this, key, value);
  }

  SourceSpec source(String appOnError) {
    Serde key = Serdes.of(node.get("key"));
    Serde value = Serdes.of(node.get("value"));
    JsonNode time = node.path("timestamp");
    String from = time.path("from").asText("record");
    BoundExpressions bound = from.equals("expr") ? Compiler.bind(DslScopes.record(key.type(), value.type()), time.get("expr")) : null;
    DataType type = bound == null ? null : bound.type(0);
    if (type != null && !TimestampExtractor.isPossible(type)) {
      throw new IllegalArgumentException("timestamp= must be a time, a number of milliseconds or ISO 8601 text, it is "
          + type.simpleString());
    }
    String zone = time.path("timezone").asText("UTC");
    TimestampExtractor.checkZone(type, zone);
    String onError = node.hasNonNull("on_error") ? node.get("on_error").asText() : appOnError;
    return new SourceSpec(node.get("id").asText(), node.path("at").asText(""), node.get("kind").asText(), key, null, value, bound,
        type, zone, from.equals("wall"), node.path("max_ahead").asLong(TimeBounds.ANY),
        onError.equals("fail"));
  }

  /** A DataFrame's rows arrive as JSON; the start of the query has added their type to the plan. */
  private NodeSpec dataFrame() {
    SourceSpec source = frameSource("");
    DataType key = source.keyed() == null ? DataTypes.BinaryType : source.keyed().type(0);
    return stateless(key, source.value().type().asNullable(), (s, t) -> new Stateless.Pass(s));
  }

  SourceSpec frameSource(String appOnError) {
    if (!node.hasNonNull("schema")) {
      throw new IllegalArgumentException("the columns of a DataFrame are known only when the app is started");
    }
    Serde value = Serdes.json(TypeJson.of(node.get("schema")).asNullable());
    Scope scope = DslScopes.record(DataTypes.BinaryType, value.type());
    BoundExpressions key = node.hasNonNull("key") ? keyed(scope, node.get("key")) : null;
    BoundExpressions time = node.hasNonNull("timestamp") ? Compiler.bind(scope, node.get("timestamp")) : null;
    return new SourceSpec(node.get("id").asText(), node.path("at").asText(""), "stream",
        Serdes.defaultFor(DataTypes.BinaryType), key, value, time, time == null ? null : time.type(0), "UTC", false, TimeBounds.ANY,
        appOnError.equals("fail"));
  }
}
