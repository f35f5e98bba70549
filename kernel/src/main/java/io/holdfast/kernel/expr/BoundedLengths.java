package io.holdfast.kernel.expr;

import org.apache.spark.sql.catalyst.expressions.ArrayRepeat;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FormatNumber;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.OctetLength;
import org.apache.spark.sql.catalyst.expressions.Sequence;
import org.apache.spark.sql.catalyst.expressions.StringLPad;
import org.apache.spark.sql.catalyst.expressions.StringRPad;
import org.apache.spark.sql.catalyst.expressions.StringRepeat;
import org.apache.spark.sql.catalyst.expressions.StringSpace;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.StringType;
import scala.Option;

/** Functions that make as much as a number says ask first whether it is too much: one record must not end the process. */
final class BoundedLengths extends Rewrite {
  /** What a letter takes at most. */
  private static final int LETTER = 4;

  @Override
  protected Expression rewrite(Expression e) {
    if (e instanceof StringRepeat repeat) {
      return new StringRepeat(repeat.str(), times(repeat.times(), new OctetLength(repeat.str())));
    }
    if (e instanceof StringSpace space) {
      return new StringSpace(times(space.child(), literal(1)));
    }
    if (e instanceof StringLPad pad) {
      return new StringLPad(pad.str(), times(pad.len(), literal(LETTER)), pad.pad());
    }
    if (e instanceof StringRPad pad) {
      return new StringRPad(pad.str(), times(pad.len(), literal(LETTER)), pad.pad());
    }
    if (e instanceof FormatNumber format && format.d().dataType() instanceof IntegerType) {
      return new FormatNumber(format.x(), times(format.d(), literal(1)));
    }
    if (e instanceof ArrayRepeat repeat) {
      return new ArrayRepeat(repeat.left(), times(repeat.right(), size(repeat.left())));
    }
    if (e instanceof Sequence sequence) {
      Expression last = sequence.start().dataType() instanceof IntegralType ? last(sequence) : lastTime(sequence);
      return new Sequence(sequence.start(), last, sequence.stepOpt(), sequence.timeZoneId());
    }
    return e;
  }

  private static Expression size(Expression element) {
    return element.dataType() instanceof StringType ? new OctetLength(element) : literal(element.dataType().defaultSize());
  }

  private static Expression times(Expression count, Expression bytes) {
    return call("times", DataTypes.IntegerType, ExpressionJson.cast(count, DataTypes.IntegerType), bytes);
  }

  private static Expression last(Sequence sequence) {
    DataType type = sequence.start().dataType();
    Expression start = ExpressionJson.cast(sequence.start(), DataTypes.LongType);
    Expression stop = ExpressionJson.cast(sequence.stop(), DataTypes.LongType);
    // Without a step it goes up or down by one.
    Expression step = sequence.stepOpt().isDefined()
        ? ExpressionJson.cast(sequence.stepOpt().get(), DataTypes.LongType)
        : call("direction", DataTypes.LongType, start, stop);
    return ExpressionJson.cast(call("last", DataTypes.LongType, start, stop, step), type);
  }

  /** Days and times. */
  private static Expression lastTime(Sequence sequence) {
    DataType type = sequence.start().dataType();
    String function = type instanceof DateType ? "lastDay" : "lastTime";
    return sequence.stepOpt().isDefined()
        ? call(function, type, sequence.start(), sequence.stop(), sequence.stepOpt().get())
        : call(function, type, sequence.start(), sequence.stop());
  }

  private static Expression literal(int number) {
    return Literal.create(number, DataTypes.IntegerType);
  }

  private static Expression call(String function, DataType type, Expression... arguments) {
    return new StaticInvoke(Lengths.class, type, function, ScalaCollections.seq(arguments), ScalaCollections.seq(), true, false, true, Option.empty());
  }
}
