package io.holdfast.kernel.nodes.processors;

import io.holdfast.kernel.nodes.Changelog;
import io.holdfast.kernel.nodes.QueryableStore;
import io.holdfast.kernel.nodes.StateLimit;
import io.holdfast.kernel.stores.KeyValueStore;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.RowCodec;
import io.holdfast.kernel.task.Task;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.ByteArray;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A store that processors of the same task read and write; it has no input.
 *
 * <p>The stored bytes are the time of the last change (8) and the value as a row. A further group has the keys only. The state has no order
 * of keys: the first scan of a batch reads that group and sorts it, later ones use the sorted keys.
 */
public final class ProcessorStore extends Node implements QueryableStore {
  private static final byte[] KEYS = {'k'};
  private static final byte[] THERE = {};
  private final KeyValueStore store;
  private final RowCodec keys;
  private final RowCodec values;
  private final Changelog changelog;
  private final StateLimit limit;
  private final Comparator<Object> order;
  /** The keys of the current task, after the first scan. */
  private TreeMap<Object, byte[]> sorted;

  public ProcessorStore(NodeSpec spec, Task task) {
    super(spec.id);
    this.store = task.store(spec.store());
    this.keys = task.codec(spec.key);
    this.values = new RowCodec(spec.value);
    this.changelog = Changelog.of(spec);
    this.limit = StateLimit.of(spec, task);
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
   * @param after whether the first key of the range is excluded, because it was returned already
   * @param most how many at most
   */
  public record Scan(Object from, Object to, Object prefix, boolean reverse, boolean after, int most) {}

  /** The limit of its changelog; null if it has none. */
  public StateLimit limit() {
    return limit;
  }

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

  /** Prefetches these keys. */
  public void fetch(List<byte[]> wanted) {
    store.fetch(wanted);
  }

  /**
   * Sets a value; null deletes the key.
   *
   * @param known whether the key has a value so far; null if it was not read
   */
  public void write(Object key, Object value, long time, Boolean known) {
    byte[] name = keys.encode(key);
    boolean there = known == null ? store.get(name) != null : known;
    if (value == null) {
      delete(key, name, there);
    } else {
      byte[] row = values.encode(value);
      store.put(name, ByteBuffer.allocate(8 + row.length).putLong(time).put(row).array());
      list(name, there);
    }
    if (changelog != null && (there || value != null)) {
      task.output(changelog.row(key, value, time));
    }
  }

  private void delete(Object key, byte[] name, boolean there) {
    if (there) {
      store.remove(name);
      store.remove(KEYS, name);
    }
    if (sorted != null) {
      sorted.remove(key);
    }
  }

  private void list(byte[] name, boolean there) {
    if (!there) {
      store.put(KEYS, name, THERE);
    }
    if (sorted != null && !there) {
      sorted.put(keys.decode(name), name);
    }
  }

  /** The entries that are wanted, in order. */
  public List<Entry> scan(Scan scan) {
    List<Map.Entry<Object, byte[]>> found = new ArrayList<>();
    for (var each : range(scan).entrySet()) {
      boolean fits = scan.prefix() == null || startsWith(each.getKey(), scan.prefix());
      if (found.size() == scan.most() || !fits && !scan.reverse()) {
        break;
      }
      if (fits) {
        found.add(each);
      }
    }
    store.fetch(found.stream().map(Map.Entry::getValue).toList());
    return found.stream().map(each -> new Entry(each.getKey(), read(each.getValue()))).toList();
  }

  private NavigableMap<Object, byte[]> range(Scan scan) {
    if (sorted == null) {
      sorted = new TreeMap<>(order);
      store.scan(KEYS).forEach(pair -> sorted.put(keys.decode(pair.key()), pair.key()));
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
    if (group.length == 0) {
      visitor.accept(keys.decode(key), values.decode(stored, 8, stored.length - 8));
    }
  }
}
