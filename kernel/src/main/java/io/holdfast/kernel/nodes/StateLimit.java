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
 * The size limit of a state, which is that of its changelog: a record that would make the state too large is refused, and the state of its key
 * stays as it was.
 *
 * <p>Most values are far from the limit, which is known without encoding them.
 */
public final class StateLimit {
  /** The bytes of a key's window, and of a record without key and value. */
  private static final int OVERHEAD = 512;
  /** The longest key that a message quotes. */
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

  /** The limit of a node's store; null if it has no changelog. */
  public static StateLimit of(NodeSpec node, Task task) {
    return node.store().changelog() == null ? null : new StateLimit(node, task, node.storeKey());
  }

  /** The limit of a store of windows, for keys without their windows. */
  public static StateLimit ofWindows(NodeSpec node, Task task) {
    return node.store().changelog() == null
        ? null : new StateLimit(node, task, ((StructType) node.storeKey()).fields()[0].dataType());
  }

  /** Whether values may be of any size. */
  public boolean varies() {
    return varies;
  }

  /** How many bytes of JSON the state of a key may take in any case; none if the key is very long. */
  public int safeBytes(Object key) {
    return most(keyBytes(key));
  }

  /** How many bytes of JSON so many in memory may become. */
  public long written(long bytes) {
    return bytes * growth;
  }

  /**
   * How many bytes of JSON a state may take in any case; none if the key is very long.
   *
   * @param keyBytes how many bytes the longest key takes, as {@link #keyBytes} has them
   */
  public int most(long keyBytes) {
    return most(limit(), keyBytes);
  }

  private int most(TopicLimits.Limit limit, long keyBytes) {
    long most = DeliveryCheck.most(limit) - OVERHEAD - DeliveryCheck.AROUND - keyBytes * keyGrowth;
    return (int) Math.max(0, most);
  }

  /** How many bytes a key takes in memory, at least as many as in the store. */
  public long keyBytes(Object key) {
    return ValueSize.of(key, keyType);
  }

  /** The first and the last time that the changelog accepts now. */
  public long[] times() {
    return DeliveryCheck.times(limit());
  }

  private TopicLimits.Limit limit() {
    return task.limit(topic);
  }

  /**
   * Fails if the changelog refuses the key or the time, whatever the value is.
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
   * Fails if the changelog refuses the value.
   *
   * @return how many bytes of JSON it takes at most
   */
  public long check(Object key, Object value) {
    long written = value == null || !varies ? 0 : written(ValueSize.of(value, valueType));
    return written > 0 && written > safeBytes(key) ? checkDocument(key, values.encode(value)) : written;
  }

  /** The same for a value that is encoded already; returns its size. */
  public int checkDocument(Object key, byte[] json) {
    String refusal = documentRefusal(key, json);
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
    return json == null ? 0 : json.length;
  }

  /** Why the changelog refuses a document; null if it accepts it. */
  public String documentRefusal(Object key, byte[] json) {
    OutputRow row = new OutputRow(topic, OutputRow.ANY, 0, keys.encode(key), json, null, true);
    TopicLimits.Limit limit = limit();
    return DeliveryCheck.fits(row, limit.less(OVERHEAD)) ? null : refusal(row, limit);
  }

  /** Why the changelog refuses a value; null if it accepts it. */
  public String valueRefusal(Object key, Object value) {
    return documentRefusal(key, values.encode(value));
  }

  /** Why the changelog refuses a change at a time; null if it accepts it. */
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
