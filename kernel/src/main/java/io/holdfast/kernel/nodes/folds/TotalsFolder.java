package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.expr.Aggregator;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.expr.Totals;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.math.BigInteger;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Counts and sums, which can retract rows exactly. They cannot overflow; a result that does not fit its type fails. */
public final class TotalsFolder implements Folder {
  private final Totals totals;
  private final Evaluator inputs;
  private final Aggregator aggregator;
  private final ScopeRow scope;

  /** The plan of a {@link TotalsFolder}. */
  public record TotalsPlan(Totals totals) implements Folder.Plan {
    @Override
    public DataType state() {
      return new StructType()
          .add("rows", DataTypes.LongType)
          .add("counts", new ArrayType(DataTypes.LongType, false))
          .add("sums", new ArrayType(DataTypes.BinaryType, false));
    }

    @Override
    public DataType value() {
      return totals.aggregate().type();
    }

    @Override
    public boolean subtracts() {
      return true;
    }

    @Override
    public boolean usesMeta() {
      return totals.inputs().usesMeta();
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new TotalsFolder(totals, task);
    }
  }

  /**
   * The totals of a group.
   *
   * @param counts per function how many rows had something to count or to sum
   */
  private record Sums(long rows, long[] counts, BigInteger[] sums) {}

  private TotalsFolder(Totals totals, Task task) {
    this.totals = totals;
    this.inputs = totals.inputs().open();
    this.aggregator = totals.aggregate().open();
    this.scope = new ScopeRow(2, false, task.program().topics());
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    return with((Sums) state, r, 1);
  }

  @Override
  public Object subtract(Object state, StreamRecord r) {
    return with((Sums) state, r, -1);
  }

  private Sums with(Sums before, StreamRecord r, int sign) {
    UnsafeRow row = inputs.row(scope.of(r, r.key, r.value));
    int n = totals.size();
    long[] counts = before == null ? new long[n] : before.counts.clone();
    BigInteger[] sums = before == null ? zeros(n) : before.sums.clone();
    for (int i = 0; i < n; i++) {
      Object input = inputs.get(row, i);
      if (totals.isSum(i) && input != null) {
        BigInteger units = totals.units(i, input);
        counts[i] += sign;
        sums[i] = sign > 0 ? sums[i].add(units) : sums[i].subtract(units);
      } else if (Boolean.TRUE.equals(input)) {
        counts[i] += sign;
      }
    }
    return new Sums((before == null ? 0 : before.rows) + sign, counts, sums);
  }

  private static BigInteger[] zeros(int n) {
    BigInteger[] out = new BigInteger[n];
    java.util.Arrays.fill(out, BigInteger.ZERO);
    return out;
  }

  @Override
  public Object merge(Object state, Object other, StreamRecord r) {
    throw new UnsupportedOperationException("groups of a table never become one");
  }

  @Override
  public Object valueOf(Object state) {
    Sums now = (Sums) state;
    if (now.rows == 0) {
      return aggregator.empty();
    }
    Object[] results = new Object[totals.size()];
    for (int i = 0; i < results.length; i++) {
      results[i] = !totals.isSum(i) ? (Object) now.counts[i] : now.counts[i] == 0 ? null : totals.result(i, now.sums[i]);
    }
    return aggregator.resultOf(results);
  }

  @Override
  public Object pack(Object state) {
    Sums now = (Sums) state;
    Object[] sums = new Object[now.sums.length];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = now.sums[i].toByteArray();
    }
    return new GenericInternalRow(new Object[] {now.rows, new GenericArrayData(now.counts), new GenericArrayData(sums)});
  }

  @Override
  public Object unpack(Object stored) {
    InternalRow row = (InternalRow) stored;
    ArrayData sums = row.getArray(2);
    BigInteger[] out = new BigInteger[sums.numElements()];
    for (int i = 0; i < out.length; i++) {
      out[i] = new BigInteger(sums.getBinary(i));
    }
    return new Sums(row.getLong(0), row.getArray(1).toLongArray(), out);
  }
}
