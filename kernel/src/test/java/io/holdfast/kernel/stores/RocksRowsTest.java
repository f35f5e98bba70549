package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.Iterator;

/**
 * Rows that go to Spark's RocksDB many at once are the rows that its state store itself writes and reads one by one, in the same
 * batch, in later ones, and after the state was restored from the checkpoint's files.
 */
public final class RocksRowsTest {
  private static final String NAME = "rows";
  private static final StructType BYTES = new StructType().add("value", DataTypes.BinaryType, true);
  private static final byte[] TASK = {0, 0, 0, 7};
  private static final int[] LENGTHS = {0, 1, 7, 8, 9, 40, 127, 128, 5_000};
  private static final int ROUNDS = 6;
  private static final int CHANGES = 3_000;

  private RocksRowsTest() {}

  public static void main(String[] args) throws Exception {
    Checks check = new Checks();
    Path home = check.folder();
    for (boolean changelog : new boolean[] {true, false}) {
      Random random = new Random(1);
      String what = changelog ? "changes" : "snapshots";
      Sides many = new Sides(home.resolve(what + "-many"), changelog, true);
      Sides single = new Sides(home.resolve(what + "-single"), changelog, false);
      for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS - 2) {
          many.restart();
          single.restart();
        }
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        changes(random, keys, values);
        String where = what + ", round " + round;
        check.equal(where + ": rows", single.round(round, keys, values), many.round(round, keys, values));
        check.equal(where + ": read", single.read, many.read);
      }
      many.close();
      single.close();
    }
    check.end();
  }

  /** Sorted keys, each once, some of them removed. */
  private static void changes(Random random, List<byte[]> keys, List<byte[]> values) {
    TreeMap<byte[], byte[]> sorted = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < CHANGES; i++) {
      byte[] value = new byte[LENGTHS[random.nextInt(LENGTHS.length)]];
      random.nextBytes(value);
      sorted.put(key(random.nextInt(2 * CHANGES)), random.nextInt(5) == 0 ? null : value);
    }
    keys.addAll(sorted.keySet());
    values.addAll(sorted.values());
  }

  private static byte[] key(int number) {
    return ("key " + "x".repeat(number % 11) + number).getBytes(StandardCharsets.UTF_8);
  }

  /** A provider of state, to which rows go in one of two ways. */
  private static final class Sides {
    private final Path home;
    private final boolean changelog;
    private final boolean many;
    private RocksDBStateStoreProvider provider;
    private List<String> read;

    Sides(Path home, boolean changelog, boolean many) {
      this.home = home;
      this.changelog = changelog;
      this.many = many;
      this.provider = provider();
    }

    private RocksDBStateStoreProvider provider() {
      SQLConf conf = new SQLConf();
      String rocks = "spark.sql.streaming.stateStore.rocksdb.";
      conf.setConfString(rocks + "changelogCheckpointing.enabled", String.valueOf(changelog));
      conf.setConfString(rocks + "trackTotalNumberOfRows", "false");
      Configuration hadoop = new Configuration();
      hadoop.set(StreamExecution.RUN_ID_KEY(), UUID.randomUUID().toString());
      RocksDBStateStoreProvider made = new RocksDBStateStoreProvider();
      made.init(new StateStoreId(home.toString(), 0, 0, "default"), BYTES, BYTES, new NoPrefixKeyStateEncoderSpec(BYTES), true,
          StateStoreConf.apply(conf), hadoop, false, Option.empty());
      return made;
    }

    /** Reads, writes and reads again what is asked for, commits, and gives all rows that there are. */
    List<String> round(int version, List<byte[]> keys, List<byte[]> values) {
      StateStore store = provider.getStore(version, Option.empty(), false, false);
      store.createColFamilyIfAbsent(NAME, BYTES, BYTES, new NoPrefixKeyStateEncoderSpec(BYTES), false, false);
      read = new ArrayList<>();
      SparkRows rows = new SparkRows(store, NAME);
      RocksRows direct = RocksRows.of(store, NAME);
      read(rows, direct, keys);
      write(rows, direct, keys, values);
      read(rows, direct, keys);
      List<String> all = all(store);
      store.commit();
      return all;
    }

    private void read(SparkRows rows, RocksRows direct, List<byte[]> keys) {
      List<byte[]> found = new ArrayList<>();
      if (many) {
        direct.read(TASK, keys, found);
      } else {
        keys.forEach(key -> found.add(rows.get(TASK, key)));
      }
      found.forEach(value -> read.add(Arrays.toString(value)));
    }

    private void write(SparkRows rows, RocksRows direct, List<byte[]> keys, List<byte[]> values) {
      if (many) {
        direct.write(TASK, keys, values);
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

    /** The local files are gone; what there was comes from the checkpoint. */
    void restart() {
      provider.close();
      provider = provider();
    }

    void close() {
      provider.close();
    }
  }
}
