package io.holdfast.kernel.plan;

import io.holdfast.kernel.nodes.Operator;
import io.holdfast.kernel.nodes.aggregates.FoldCompiler;
import io.holdfast.kernel.nodes.aggregates.RegroupCompiler;
import io.holdfast.kernel.nodes.functions.PythonCompiler;
import io.holdfast.kernel.nodes.functions.StatefulCompiler;
import io.holdfast.kernel.nodes.joins.ForeignKeyCompiler;
import io.holdfast.kernel.nodes.joins.StreamJoinCompiler;
import io.holdfast.kernel.nodes.joins.StreamTableJoinCompiler;
import io.holdfast.kernel.nodes.joins.TableJoinCompiler;
import io.holdfast.kernel.nodes.patterns.MatchCompiler;
import io.holdfast.kernel.nodes.processors.ProcessCompiler;
import io.holdfast.kernel.nodes.streams.DeduplicateCompiler;
import io.holdfast.kernel.nodes.streams.Sample;
import io.holdfast.kernel.nodes.streams.StatelessCompiler;
import io.holdfast.kernel.nodes.tables.SuppressCompiler;
import io.holdfast.kernel.nodes.tables.TableCompiler;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All operations of the plan document by name. */
final class Operators {
  private static final Map<String, Operator> ALL = Stream.of(
      SourceCompiler.OPERATORS, StatelessCompiler.OPERATORS, DeduplicateCompiler.OPERATORS, Sample.OPERATORS,
      TableCompiler.OPERATORS, SuppressCompiler.OPERATORS, FoldCompiler.OPERATORS, RegroupCompiler.OPERATORS,
      StreamTableJoinCompiler.OPERATORS, StreamJoinCompiler.OPERATORS, TableJoinCompiler.OPERATORS, ForeignKeyCompiler.OPERATORS,
      MatchCompiler.OPERATORS, PythonCompiler.OPERATORS, StatefulCompiler.OPERATORS, ProcessCompiler.OPERATORS)
      .flatMap(List::stream).collect(Collectors.toMap(Operator::name, Function.identity()));

  private Operators() {}

  static Operator of(String name) {
    Operator found = ALL.get(name);
    if (found == null) {
      throw new IllegalArgumentException("unknown operation '" + name + "'");
    }
    return found;
  }
}
