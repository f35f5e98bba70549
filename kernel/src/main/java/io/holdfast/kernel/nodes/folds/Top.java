package io.holdfast.kernel.nodes.folds;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.task.Combiner;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.math.Ordering;

/** The n records of a group that rank highest; of equal ones the earlier first, null last. */
public final class Top implements Folder {
  private final int n;
  private final boolean distinct;
  private final Evaluator ranks;
  private final ScopeRow scope;
  private final Ordering<Object> ordering;
  private final DataType by;
  private final DataType distinctType;
  private final DataType value;

  /**
   * One kept record.
   *
   * @param order its position in the order, if it is of this batch
   */
  private record Item(Object rank, Object identity, Object value, byte[] order) {}

  /**
   * What a {@link Top} needs to know.
   *
   * @param ranks the rank, and the identity if records are distinct
   */
  public record TopPlan(int n, BoundExpressions ranks, DataType element) implements Folder.Plan {
    @Override
    public DataType state() {
      return stateType(ranks, element);
    }

    @Override
    public DataType value() {
      return new ArrayType(element, true);
    }

    @Override
    public boolean usesMeta() {
      return ranks.usesMeta();
    }

    @Override
    public Folder open(NodeSpec node, Task task) {
      return new Top(task, n, ranks, element);
    }

    @Override
    public Combiner.Plan combiner() {
      return ranks.usesMeta() ? null : new TopCombinerPlan(this);
    }
  }

  private Top(Task task, int n, BoundExpressions ranks, DataType value) {
    this.n = n;
    this.ranks = ranks.open();
    this.scope = new ScopeRow(2, ranks.usesMeta(), task.program().topics());
    this.distinct = ranks.size() > 1;
    this.by = ranks.type(0);
    this.distinctType = distinct ? ranks.type(1) : DataTypes.BooleanType;
    this.value = value;
    this.ordering = TypeUtils.getInterpretedOrdering(by);
  }

  private static DataType stateType(BoundExpressions ranks, DataType value) {
    StructType item = new StructType()
        .add("rank", ranks.type(0))
        .add("identity", ranks.size() > 1 ? ranks.type(1) : DataTypes.BooleanType)
        .add("value", value);
    return new ArrayType(item, false);
  }

  @Override
  public Object add(Object state, StreamRecord r) {
    return insert(state == null ? List.of() : items(state), r, r.value);
  }

  private List<Item> insert(List<Item> items, StreamRecord r, Object value) {
    UnsafeRow ranked = ranks.row(scope.of(r, r.key, r.value));
    return insert(items, new Item(ranks.get(ranked, 0), distinct ? ranks.get(ranked, 1) : null, value, r.order));
  }

  @Override
  public Object merge(Object state, Object other, StreamRecord r) {
    List<Item> out = state == null ? List.of() : items(state);
    for (Item item : items(other)) {
      out = insert(out, item);
    }
    return out;
  }

  private List<Item> insert(List<Item> items, Item item) {
    // Most records do not make it: no copy for those.
    if (!distinct && items.size() == n && !above(item, items.get(n - 1))) {
      return items;
    }
    List<Item> out = new ArrayList<>(items);
    if (distinct) {
      int same = find(out, item.identity);
      if (same >= 0 && !above(item, out.get(same))) {
        return items;
      }
      if (same >= 0) {
        out.remove(same);
      }
    }
    int at = out.size();
    while (at > 0 && above(item, out.get(at - 1))) {
      at--;
    }
    if (at >= n) {
      return items;
    }
    out.add(at, item);
    return out.size() > n ? out.subList(0, n) : out;
  }

  private static int find(List<Item> items, Object identity) {
    for (int i = 0; i < items.size(); i++) {
      if (Objects.deepEquals(items.get(i).identity, identity)) {
        return i;
      }
    }
    return -1;
  }

  private boolean above(Item a, Item b) {
    int difference = a.rank == null || b.rank == null
        ? Boolean.compare(a.rank != null, b.rank != null)
        : ordering.compare(a.rank, b.rank);
    return difference != 0 ? difference > 0 : isEarlier(a, b);
  }

  /** Records of several source partitions may come to a combiner one partition after the other. */
  private static boolean isEarlier(Item a, Item b) {
    return a.order != null && b.order != null && Order.compare(a.order, b.order) < 0;
  }

  /** Before an exchange: sends the records that may still be among the highest. */
  private record TopCombinerPlan(TopPlan ranking) implements Combiner.Plan {
    @Override
    public DataType partial() {
      return null;
    }

    @Override
    public Combiner open(Task task) {
      return new TopCombiner((Top) ranking.open(null, task));
    }
  }

  private record TopCombiner(Top top) implements Combiner {
    /** The records that rank highest, and the last of all. */
    private static final class Best {
      private List<Item> items = List.of();
      private StreamRecord last;
    }

    @Override
    public Object add(Object state, StreamRecord r) {
      Best best = state == null ? new Best() : (Best) state;
      best.items = top.insert(best.items, r, r);
      if (best.last == null || Order.compare(best.last.order, r.order) < 0) {
        best.last = r;
      }
      return best;
    }

    @Override
    public void finish(Object state, StreamRecord last, Consumer<StreamRecord> out) {
      Best best = (Best) state;
      for (Item item : best.items) {
        if (item.value != best.last) {
          out.accept((StreamRecord) item.value);
        }
      }
      // The last record carries the time of the change, whether it is among the highest or not.
      out.accept(best.last.withTime(last.timestamp));
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Item> items(Object state) {
    return (List<Item>) state;
  }

  @Override
  public Object valueOf(Object state) {
    return new GenericArrayData(items(state).stream().map(Item::value).toArray());
  }

  @Override
  public Object pack(Object state) {
    return new GenericArrayData(items(state).stream()
        .map(i -> new GenericInternalRow(new Object[] {i.rank, i.identity, i.value})).toArray());
  }

  @Override
  public Object unpack(Object stored) {
    ArrayData array = (ArrayData) stored;
    List<Item> out = new ArrayList<>(array.numElements());
    for (int i = 0; i < array.numElements(); i++) {
      InternalRow row = array.getStruct(i, 3);
      out.add(new Item(get(row, 0, by), get(row, 1, distinctType), get(row, 2, value), null));
    }
    return out;
  }

  private static Object get(InternalRow row, int i, DataType type) {
    return row.isNullAt(i) ? null : row.get(i, type);
  }
}
