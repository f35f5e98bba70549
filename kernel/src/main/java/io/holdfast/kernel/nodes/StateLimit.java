package io.holdfast.kernel.nodes;

import io.holdfast.kernel.expr.ValueSize;
import io.holdfast.kernel.records.DeliveryCheck;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.serde.Serde;
import io.holdfast.kernel.serde.Serdes;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Task;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * What a store's changelog takes: a record after which it could not be written is refused, and its key stays as it was.
 *
 * <p>Most values are far from the limit, which is seen without writing them.
 */
public final class StateLimit {
  /** What the window of a key takes beside it, and what a record takes beside key and value. */
  private static final int BESIDE = 512;
  /** A longer key is not shown. */
  private static final int SHOWN = 200;
  private final Task task;
  private final String store;
  private final String topic;
  private final Serde keys;
  private final Serde values;
  private final DataType keyType;
  private final DataType valueType;
  private final int keyGrowth;
  private final int growth;
  private final boolean varies;

  private StateLimit(NodeSpec node, Task task, DataType key) {
    this.task = task;
    this.store = node.store().name();
    this.topic = node.store().changelog();
    this.keys = Serdes.defaultFor(key);
    this.keyType = key;
    this.valueType = node.storeValue();
    this.values = Serdes.json(valueType);
    this.keyGrowth = ValueSize.growth(key);
    this.growth = ValueSize.growth(valueType);
    this.varies = ValueSize.varies(valueType);
  }

  /** The limit of a node's store, or null if it has no changelog. */
  public static StateLimit of(NodeSpec node, Task task) {
    return node.store().changelog() == null ? null : new StateLimit(node, task, node.storeKey());
  }

  /** That of a store of windows, of which the node knows the keys without their windows. */
  public static StateLimit ofWindows(NodeSpec node, Task task) {
    return node.store().changelog() == null
        ? null : new StateLimit(node, task, ((StructType) node.storeKey()).fields()[0].dataType());
  }

  /** Whether values may be of any size. */
  public boolean varies() {
    return varies;
  }

  /** How many bytes of JSON the state of a key surely may take; none if the key is very long. */
  public int surely(Object key) {
    return most(keyBytes(key));
  }

  /** How many bytes of JSON so many in memory may become. */
  public long written(long bytes) {
    return bytes * growth;
  }

  /**
   * How many bytes of JSON a state surely may take; none if the key is very long.
   *
   * @param keyBytes how many bytes the longest key takes, as {@link #keyBytes} has them
   */
  public int most(long keyBytes) {
    return most(limit(), keyBytes);
  }

  private int most(TopicLimits.Limit limit, long keyBytes) {
    long most = DeliveryCheck.most(limit) - BESIDE - DeliveryCheck.AROUND - keyBytes * keyGrowth;
    return (int) Math.max(0, most);
  }

  /** How many bytes a key takes in memory, at least as many as it takes when it is stored. */
  public long keyBytes(Object key) {
    return ValueSize.of(key, keyType);
  }

  /** The times that the changelog takes now: the first and the last. */
  public long[] times() {
    return DeliveryCheck.times(limit());
  }

  private TopicLimits.Limit limit() {
    return task.limit(topic);
  }

  /**
   * Fails if the changelog does not take such a key, or such a time, whatever the value is.
   *
   * @param stored the key as it is stored
   */
  public void checkKey(Object key, byte[] stored, long timestamp) {
    String refusal = keyRefusal(key, stored, timestamp);
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
  }

  /** The same as {@link #checkKey}: why it is refused, null if it is not. */
  public String keyRefusal(Object key, byte[] stored, long timestamp) {
    TopicLimits.Limit limit = limit();
    String refusal = most(limit, stored.length) == 0 ? documentRefusal(key, null) : null;
    return refusal == null ? DeliveryCheck.timeRefusal(topic, timestamp, limit) : refusal;
  }

  /**
   * Fails if the changelog does not take such a value.
   *
   * @return how many bytes of JSON it takes at most
   */
  public long check(Object key, Object value) {
    long written = value == null || !varies ? 0 : written(ValueSize.of(value, valueType));
    return written > 0 && written > surely(key) ? checkDocument(key, values.encode(value)) : written;
  }

  /** The same for a value that is written already; gives its size. */
  public int checkDocument(Object key, byte[] json) {
    String refusal = documentRefusal(key, json);
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
    return json == null ? 0 : json.length;
  }

  /** Why the changelog does not take such a document; null if it takes it. */
  public String documentRefusal(Object key, byte[] json) {
    OutputRow row = new OutputRow(topic, OutputRow.ANY, 0, keys.encode(key), json, null, true);
    TopicLimits.Limit limit = limit();
    return DeliveryCheck.fits(row, limit.less(BESIDE)) ? null : refusal(row, limit);
  }

  /** Why the changelog does not take such a value; null if it takes it. */
  public String valueRefusal(Object key, Object value) {
    return documentRefusal(key, values.encode(value));
  }

  /** Why the changelog does not take a change at such a time; null if it takes it. */
  public String timeRefusal(long timestamp) {
    return DeliveryCheck.timeRefusal(topic, timestamp, limit());
  }

  private String refusal(OutputRow row, TopicLimits.Limit limit) {
    int size = row.key.length + (row.value == null ? 0 : row.value.length);
    String key = row.key.length > SHOWN ? "a key of " + row.key.length + " bytes" : "key " + new String(row.key, StandardCharsets.UTF_8);
    return "the state of " + key + " in store '" + store + "' would take " + size + " bytes, and its changelog '" + topic + "' takes "
        + limit.bytes() + " at most (its max.message.bytes); keep less in it, or raise that limit and replay the record";
  }
}
