package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.Iterator;

/**
 * Rows that go to Spark's RocksDB many at once, past a cache or not, are the rows that its state store itself writes and reads one by
 * one, in the same batch, in later ones, after a batch that failed, and after the state was restored from the checkpoint's files.
 */
public final class RocksRowsTest {
  private static final String NAME = "rows";
  private static final StructType BYTES = Providers.BYTES;
  private static final byte[] TASK = {0, 0, 0, 7};
  private static final int[] LENGTHS = {0, 1, 7, 8, 9, 40, 127, 128, 5_000};
  private static final int ROUNDS = 8;
  /** From then on rows come from the checkpoint, of which the cache has seen nothing. */
  private static final int FIRST_FAILURE = 1;
  private static final int CHANGES = 3_000;

  private RocksRowsTest() {}

  /** How rows get to the store and back. */
  private enum Access {
    SINGLE(0),
    MANY(0),
    SOME_IN_MEMORY(2 << 20),
    ALL_IN_MEMORY(64 << 20);

    private final long memory;

    Access(long memory) {
      this.memory = memory;
    }
  }

  public static void main(String[] args) throws Exception {
    Checks check = new Checks();
    Path home = check.folder();
    for (boolean changelog : new boolean[] {true, false}) {
      for (Access access : new Access[] {Access.MANY, Access.SOME_IN_MEMORY, Access.ALL_IN_MEMORY}) {
        compare(check, home.resolve(access + "-" + changelog), changelog, access);
      }
    }
    check.end();
  }

  private static void compare(Checks check, Path home, boolean changelog, Access access) {
    Random random = new Random(1);
    Sides single = new Sides(home.resolve("single"), changelog, Access.SINGLE);
    Sides many = new Sides(home.resolve("many"), changelog, access);
    int version = 0;
    for (int round = 0; round < ROUNDS; round++) {
      if (round == ROUNDS - 2) {
        many.restart();
        single.restart();
      }
      List<byte[]> keys = new ArrayList<>();
      List<byte[]> values = new ArrayList<>();
      changes(random, keys, values);
      boolean fails = round % 3 == FIRST_FAILURE;
      String where = (changelog ? "changes, " : "snapshots, ") + access + ", round " + round;
      check.equal(where + ": rows", single.round(version, keys, values, fails), many.round(version, keys, values, fails));
      check.equal(where + ": read", single.read, many.read);
      check.equal(where + ": complete", access == Access.ALL_IN_MEMORY && round <= FIRST_FAILURE, many.complete);
      version += fails ? 0 : 1;
    }
    many.close();
    single.close();
  }

  /** Keys in no order, each once, some of them removed. */
  private static void changes(Random random, List<byte[]> keys, List<byte[]> values) {
    TreeMap<byte[], byte[]> sorted = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < CHANGES; i++) {
      byte[] value = new byte[LENGTHS[random.nextInt(LENGTHS.length)]];
      random.nextBytes(value);
      sorted.put(key(random.nextInt(2 * CHANGES)), random.nextInt(5) == 0 ? null : value);
    }
    keys.addAll(sorted.keySet());
    Collections.shuffle(keys, random);
    keys.forEach(key -> values.add(sorted.get(key)));
  }

  private static byte[] key(int number) {
    return ("key " + "x".repeat(number % 11) + number).getBytes(StandardCharsets.UTF_8);
  }

  /** A provider of state, to which rows go in one of two ways. */
  private static final class Sides {
    private final Path home;
    private final boolean changelog;
    private final Access access;
    private final MemoryShare.Total memory;
    private RocksDBStateStoreProvider provider;
    private List<String> read;
    private boolean complete;

    Sides(Path home, boolean changelog, Access access) {
      this.home = home;
      this.changelog = changelog;
      this.access = access;
      this.memory = new MemoryShare.Total(access.memory);
      this.provider = provider();
    }

    private RocksDBStateStoreProvider provider() {
      return Providers.of(home, Map.of("changelogCheckpointing.enabled", String.valueOf(changelog)));
    }

    /** Reads, writes and reads again, ends the batch, and returns all rows. */
    List<String> round(int version, List<byte[]> keys, List<byte[]> values, boolean fails) {
      StateStore store = provider.getStore(version, Option.empty(), false, false);
      store.createColFamilyIfAbsent(NAME, BYTES, BYTES, new NoPrefixKeyStateEncoderSpec(BYTES), false, false);
      read = new ArrayList<>();
      RowCache cache = RowCache.of(memory, store, NAME);
      SparkRows rows = new SparkRows(store, NAME, cache);
      read(rows, keys);
      write(rows, keys, values);
      read(rows, keys);
      List<String> all = all(store);
      complete = cache != null && cache.isComplete();
      if (fails) {
        store.abort();
      } else {
        store.commit();
      }
      return all;
    }

    private void read(SparkRows rows, List<byte[]> keys) {
      List<byte[]> found = new ArrayList<>();
      if (access == Access.SINGLE) {
        keys.forEach(key -> found.add(rows.get(TASK, key)));
      } else {
        found.addAll(rows.getAll(TASK, keys));
      }
      found.forEach(value -> read.add(Arrays.toString(value)));
      byte[] one = keys.get(keys.size() / 2);
      read.add(Arrays.toString(rows.get(TASK, one)));
    }

    private void write(SparkRows rows, List<byte[]> keys, List<byte[]> values) {
      if (access != Access.SINGLE) {
        rows.putAll(TASK, keys, values);
        return;
      }
      for (int i = 0; i < keys.size(); i++) {
        if (values.get(i) == null) {
          rows.remove(TASK, keys.get(i));
        } else {
          rows.put(TASK, keys.get(i), values.get(i));
        }
      }
    }

    private static List<String> all(StateStore store) {
      List<String> out = new ArrayList<>();
      Iterator<UnsafeRowPair> each = store.iterator(NAME);
      while (each.hasNext()) {
        UnsafeRowPair pair = each.next();
        out.add(Arrays.toString(pair.key().getBytes()) + "=" + Arrays.toString(pair.value().getBytes()));
      }
      return out;
    }

    /** Deletes the local files; the state is restored from the checkpoint. */
    void restart() {
      provider.close();
      provider = provider();
    }

    void close() {
      provider.close();
    }
  }
}
