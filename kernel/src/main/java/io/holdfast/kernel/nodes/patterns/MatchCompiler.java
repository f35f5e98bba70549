package io.holdfast.kernel.nodes.patterns;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.kernel.expr.Compiler;
import io.holdfast.kernel.expr.Scope;
import io.holdfast.kernel.nodes.NodeCompiler;
import io.holdfast.kernel.nodes.Operator.Trait;
import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.PlanNodes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StoreSpec;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Compiles patterns: each condition reads the record, its key and the records of earlier steps. */
public final class MatchCompiler extends NodeCompiler {
  public static final List<Operator> OPERATORS = List.of(new Operator("match", MatchCompiler::new, Trait.NEEDS_KEY));

  public MatchCompiler(JsonNode node, PlanNodes plan) {
    super(node, plan);
  }

  @Override
  public NodeSpec compile() {
    StructType type = type();
    Scope scope = stepScope(type);
    List<Pattern.Step> steps = new ArrayList<>();
    List<Pattern.Condition> absent = new ArrayList<>();
    for (JsonNode step : node.get("steps")) {
      Pattern.Condition condition = condition(step, scope);
      if (isAbsent(step)) {
        absent.add(condition);
      } else {
        int least = step.path("n").asInt(1);
        steps.add(new Pattern.Step(condition, least, step.path("at_least").asBoolean(), isSeveral(step), List.copyOf(absent)));
        absent.clear();
      }
    }
    Pattern pattern = new Pattern(List.copyOf(steps), List.copyOf(absent), node.get("strict").asBoolean(),
        node.get("overlap").asBoolean(), node.get("within").asLong(), value(0), type);
    StoreSpec store = store();
    return stateful(key(0), type, 1, List.of("time"), (s, t) -> new MatchNode(s, t, pattern, store));
  }

  private StructType type() {
    StructType out = new StructType();
    for (JsonNode step : node.get("steps")) {
      DataType taken = isSeveral(step) ? new ArrayType(value(0), true) : value(0);
      out = isAbsent(step) ? out : out.add(step.get("name").asText(), taken);
    }
    return out;
  }

  private Scope stepScope(StructType type) {
    List<Object> slots = new ArrayList<>(List.of("key", key(0), "value", value(0)));
    for (var field : type.fields()) {
      slots.add(field.name());
      slots.add(field.dataType());
    }
    return Scope.of(slots.toArray());
  }

  private Pattern.Condition condition(JsonNode step, Scope scope) {
    return new Pattern.Condition(wantBoolean(Compiler.bind(scope, step.get("condition")), 0), !step.path("sees").isEmpty());
  }

  private static boolean isAbsent(JsonNode step) {
    return step.get("kind").asText().equals("absent");
  }

  private static boolean isSeveral(JsonNode step) {
    return step.get("kind").asText().equals("times");
  }
}
