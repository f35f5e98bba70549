package io.holdfast.kernel.stores;

import io.holdfast.kernel.stores.KeyValueStore.Pair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;

/**
 * Groups of a map variable in Spark's state store, without Spark's encoders.
 *
 * <p>It writes the same bytes as the variable itself under a grouping key of the group's bytes.
 */
final class SparkGroups extends CountedRows {
  /** Scans that fail at rows that cannot be read; null if the store itself has to scan. */
  private final RocksScan rocks;

  SparkGroups(StateStore store, String name) {
    super(store, name);
    this.rocks = RocksScan.of(store, name);
  }

  byte[] get(byte[] group, byte[] key) {
    return get(BinaryRows.ofRows(group, key));
  }

  void put(byte[] group, byte[] key, byte[] value) {
    put(BinaryRows.ofRows(group, key), value);
  }

  void remove(byte[] group, byte[] key) {
    remove(BinaryRows.ofRows(group, key));
  }

  List<Pair> scan(byte[] group) {
    long start = System.nanoTime();
    List<Pair> out = new ArrayList<>();
    BiConsumer<UnsafeRow, UnsafeRow> add = (key, value) -> out.add(new Pair(key.getStruct(1, 1).getBinary(0), value.getBinary(0)));
    if (rocks == null) {
      scan(BinaryRows.ofRows(group), add);
    } else {
      rocks.read(BinaryRows.ofRows(group), add);
    }
    StateMetrics.READS.add(out.size());
    // Spark orders keys of different length by their length.
    out.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
    StateMetrics.since(start);
    return out;
  }

  private void scan(UnsafeRow group, BiConsumer<UnsafeRow, UnsafeRow> reader) {
    try (StateStoreIterator<UnsafeRowPair> entries = withoutListener(() -> store.prefixScan(group, name))) {
      while (entries.hasNext()) {
        UnsafeRowPair entry = entries.next();
        reader.accept(entry.key(), entry.value());
      }
    } catch (Exception failure) {
      throw new StateFailure(failure);
    }
  }

  /**
   * Spark remembers each iterator until its task ends, in case it is not read to the end. Here each is, and in a long epoch of real-time mode
   * they would fill the memory.
   */
  private static <T> T withoutListener(Supplier<T> open) {
    TaskContext task = TaskContext.get();
    TaskContext$.MODULE$.unset();
    try {
      return open.get();
    } finally {
      if (task != null) {
        TaskContext$.MODULE$.setTaskContext(task);
      }
    }
  }
}
