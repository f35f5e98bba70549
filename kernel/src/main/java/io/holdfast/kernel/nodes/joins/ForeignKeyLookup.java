package io.holdfast.kernel.nodes.joins;

import io.holdfast.kernel.expr.BoundExpressions;
import io.holdfast.kernel.expr.Evaluator;
import io.holdfast.kernel.nodes.ScopeRow;
import io.holdfast.kernel.stores.Bytes;
import io.holdfast.kernel.task.FailureReasons;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Order;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.StoreSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;
import io.holdfast.kernel.task.ValueAndTimestamp;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * Joins the entries of a table with the entries of another table that they refer to.
 *
 * <p>It stores the subscriptions of each foreign key. Results are emitted under the entry's own key.
 */
public final class ForeignKeyLookup extends Node {
  private final boolean left;
  private final String table;
  private final StructType subscriptionType;
  private final RowCodec foreignKeys;
  private final RowCodec keys;
  private final RowCodec values;
  private final Evaluator joiner;
  private final ScopeRow scope;
  private final Subscribers subscribers;
  /** Subscribers that were skipped, since the same source record changes them, too: that change then emits, matched or not. */
  private final Set<Bytes> skipped = new HashSet<>();

  /**
   * @param subscriptionType the type of {@link Subscription}
   */
  public ForeignKeyLookup(NodeSpec spec, Task task, StructType subscriptionType, DataType foreignKey, BoundExpressions joiner, boolean left, StoreSpec store) {
    super(spec.id);
    this.left = left;
    this.table = spec.inputs.get(1);
    this.subscriptionType = subscriptionType;
    this.foreignKeys = task.codec(foreignKey);
    this.keys = task.codec(spec.key);
    this.values = new RowCodec(subscriptionType.apply(1).dataType());
    this.joiner = joiner.open();
    this.scope = new ScopeRow(3, joiner.usesMeta(), task.program().topics());
    this.subscribers = new Subscribers(task.store(store));
  }

  @Override
  protected void run(List<StreamRecord> batch) {
    for (int i = 0; i < batch.size(); i++) {
      StreamRecord r = batch.get(i);
      try {
        if (r.port() == 0) {
          subscribe(r);
        } else if (r.isOutdated()) {
          task.skip(this, r); // The join is that of the latest versions.
        } else {
          emitAll(r, batch.subList(i + 1, batch.size()));
        }
      } catch (Exception failure) {
        task.deadLetter(this, r, FailureReasons.of(failure));
      }
    }
    subscribers.flush();
    skipped.clear();
  }

  private void subscribe(StreamRecord r) {
    Subscription subscription = Subscription.of(r.value, subscriptionType);
    ValueAndTimestamp right = null;
    byte[] key = keys.encode(subscription.key());
    boolean owed = !skipped.isEmpty() && skipped.remove(new Bytes(key));
    if (r.key != null) {
      byte[] foreignKey = task.keyBytes(r, foreignKeys);
      subscribers.put(foreignKey, key, subscription.unsubscribes() ? null : NumberedRow.of(values.encode(subscription.value()), r.number()));
      right = task.table(table).stampedAsOf(foreignKey, r.key, r.order);
    }
    long time = right == null ? r.timestamp : Math.max(r.timestamp, right.timestamp());
    switch (subscription.action()) {
      case Subscription.EMIT_ALWAYS -> emitJoined(r, subscription.key(), subscription.value(), right == null ? null : right.value(), time);
      case Subscription.EMIT_IF_MATCHED -> {
        if (right != null || owed) {
          emitJoined(r, subscription.key(), subscription.value(), right == null ? null : right.value(), time);
        }
      }
      case Subscription.UNSUBSCRIBE_AND_EMIT -> emitJoined(r, subscription.key(), subscription.value(), null, time);
      default -> { }
    }
  }

  /** A change of the right table is joined with all subscribers of its key; it is one record, and fails as one. */
  private void emitAll(StreamRecord r, List<StreamRecord> later) {
    byte[] foreignKey = task.keyBytes(r, foreignKeys);
    Map<Bytes, byte[]> next = changedToo(r, foreignKey, later);
    Exception failed = null;
    int n = 0;
    for (Map.Entry<byte[], byte[]> each : subscribers.of(foreignKey).entrySet()) {
      if (isSuperseded(each, next)) {
        skipped.add(new Bytes(each.getKey()));
      } else {
        try {
          StreamRecord one = r.at(Order.emission(r.order, n++)).numbered(NumberedRow.number(each.getValue()));
          emitJoined(one, keys.decode(each.getKey()), values.decode(NumberedRow.row(each.getValue())), r.value, r.timestamp);
        } catch (Exception failure) {
          failed = failure;
        }
      }
    }
    if (failed != null) {
      task.deadLetter(this, r, FailureReasons.of(failed));
    }
  }

  /** The subscribers that the same source record changes, too, with their new values: their own changes follow. */
  private Map<Bytes, byte[]> changedToo(StreamRecord r, byte[] foreignKey, List<StreamRecord> later) {
    Map<Bytes, byte[]> out = new HashMap<>();
    for (StreamRecord next : later) {
      if (!Order.sameSource(r.order, next.order)) {
        break;
      }
      if (next.port() == 0 && next.key != null && Arrays.equals(foreignKey, task.keyBytes(next, foreignKeys))) {
        Subscription subscription = Subscription.of(next.value, subscriptionType);
        out.put(new Bytes(keys.encode(subscription.key())), subscription.value() == null ? null : values.encode(subscription.value()));
      }
    }
    return out;
  }

  private static boolean isSuperseded(Map.Entry<byte[], byte[]> subscriber, Map<Bytes, byte[]> next) {
    if (next.isEmpty()) {
      return false;
    }
    Bytes key = new Bytes(subscriber.getKey());
    return next.containsKey(key) && !Arrays.equals(next.get(key), NumberedRow.row(subscriber.getValue()));
  }

  private void emitJoined(StreamRecord r, Object key, Object mine, Object right, long time) {
    boolean nothing = right == null && (!left || mine == null);
    Object joined = nothing ? null : joiner.value(scope.of(r, mine, right, key));
    emit(r.withKeyAndValue(key, joined).change(null, joined, time).numbered(r.number()));
  }
}
