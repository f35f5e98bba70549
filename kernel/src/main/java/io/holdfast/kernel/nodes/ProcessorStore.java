package io.holdfast.kernel.nodes;

import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.Spec;
import io.holdfast.kernel.task.Task;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.ByteArray;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A store that processors beside it read and write; no record comes to it.
 *
 * <p>The stored bytes are the time of the last change (8) and the value as a row. The state has no order of keys: the first scan of
 * a batch reads all keys of the task and sorts them, later ones go by that list.
 */
public final class ProcessorStore extends Node implements StoredTable {
  private static final byte[] WHOLE = {};
  private final KeyValueStore store;
  private final RowCodec keys;
  private final RowCodec values;
  private final Changelog changelog;
  private final Comparator<Object> order;
  /** The keys of the task whose turn it is, once somebody scanned them. */
  private TreeMap<Object, byte[]> sorted;

  public ProcessorStore(Spec spec, Task task) {
    super(spec.id);
    this.store = task.store(spec.store());
    this.keys = task.codec(spec.key);
    this.values = new RowCodec(spec.value);
    this.changelog = Changelog.of(spec);
    this.order = comparator(spec.key);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Comparator<Object> comparator(DataType type) {
    return (Comparator) TypeUtils.getInterpretedOrdering(type);
  }

  /** An entry: its key, and its value or null. */
  public record Entry(Object key, Object value) {}

  /**
   * Which entries are wanted.
   *
   * @param from the first key, or null
   * @param to the last key, or null
   * @param prefix what keys begin with, or null
   * @param after whether the key that a scan begins with was given already
   * @param most how many at most
   */
  public record Scan(Object from, Object to, Object prefix, boolean reverse, boolean after, int most) {}

  /** The beginning of a batch. */
  public void begin() {
    sorted = null;
  }

  public Entry get(Object key) {
    return new Entry(key, read(keys.encode(key)));
  }

  private Object read(byte[] key) {
    byte[] stored = store.get(key);
    return stored == null ? null : values.decode(stored, 8, stored.length - 8);
  }

  /** Sets a value; null deletes the key. */
  public void write(Object key, Object value, long time) {
    byte[] name = keys.encode(key);
    if (value == null) {
      store.remove(name);
    } else {
      byte[] row = values.encode(value);
      store.put(name, ByteBuffer.allocate(8 + row.length).putLong(time).put(row).array());
    }
    if (sorted != null && value == null) {
      sorted.remove(key);
    } else if (sorted != null) {
      sorted.put(keys.decode(name), name);
    }
    if (changelog != null) {
      task.output(changelog.row(key, value, time));
    }
  }

  /** The entries that are wanted, in order. */
  public List<Entry> scan(Scan scan) {
    List<Entry> out = new ArrayList<>();
    for (var found : range(scan).entrySet()) {
      if (out.size() == scan.most()) {
        break;
      }
      if (scan.prefix() == null || startsWith(found.getKey(), scan.prefix())) {
        out.add(new Entry(found.getKey(), read(found.getValue())));
      } else if (!scan.reverse()) {
        break;
      }
    }
    return out;
  }

  private NavigableMap<Object, byte[]> range(Scan scan) {
    if (sorted == null) {
      sorted = new TreeMap<>(order);
      store.scan(WHOLE).forEach(pair -> sorted.put(keys.decode(pair.key()), pair.key()));
    }
    NavigableMap<Object, byte[]> all = sorted;
    if (scan.from() != null && scan.to() != null && order.compare(scan.from(), scan.to()) > 0) {
      return new TreeMap<>(order);
    }
    if (scan.from() != null) {
      all = all.tailMap(scan.from(), !(scan.after() && !scan.reverse()));
    }
    if (scan.to() != null) {
      all = all.headMap(scan.to(), !(scan.after() && scan.reverse()));
    }
    return scan.reverse() ? all.descendingMap() : all;
  }

  private static boolean startsWith(Object key, Object prefix) {
    if (key instanceof UTF8String text) {
      return text.startsWith((UTF8String) prefix);
    }
    byte[] bytes = (byte[]) key;
    byte[] begin = (byte[]) prefix;
    return bytes.length >= begin.length && ByteArray.compareBinary(ByteArray.subStringSQL(bytes, 1, begin.length), begin) == 0;
  }

  @Override
  public void stored(byte[] group, byte[] key, byte[] stored, BiConsumer<Object, Object> visitor) {
    visitor.accept(keys.decode(key), values.decode(stored, 8, stored.length - 8));
  }
}
