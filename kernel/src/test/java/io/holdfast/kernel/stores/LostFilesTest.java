package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.types.StructType;
import org.rocksdb.FlushOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import scala.Option;

/** Rows in files that RocksDB cannot open any more are not taken for rows that were never there. */
public final class LostFilesTest {
  private static final String ROWS = "rows";
  private static final String GROUPS = "groups";
  private static final StructType BYTES = Providers.BYTES;
  private static final StructType GROUPED = new StructType().add("key", BYTES).add("userKey", BYTES);
  private static final byte[] TASK = {0, 0, 0, 7};
  /** RocksDB keeps ten of these open, when it may open twenty files. */
  private static final int FILES = 40;
  private static final int OPEN = 20;
  private static final int EACH = 100;

  private LostFilesTest() {}

  public static void main(String[] args) throws Exception {
    Checks check = new Checks();
    Path home = check.folder();
    RocksDBStateStoreProvider provider = Providers.of(home, Map.of("changelogCheckpointing.enabled", "true", "maxOpenFiles", String.valueOf(OPEN)));
    StateStore store = provider.getStore(0, Option.empty(), false, false);
    declare(store, ROWS, BYTES, new NoPrefixKeyStateEncoderSpec(BYTES));
    declare(store, GROUPS, GROUPED, new PrefixKeyScanStateEncoderSpec(GROUPED, 1));
    SparkRows rows = new SparkRows(store, ROWS, null);
    SparkGroups groups = new SparkGroups(store, GROUPS);
    RocksDB db = SparkVariables.dbOf(provider.rocksDB());
    write(rows, groups, db);

    ToIntFunction<Integer> many = file -> (int) rows.getAll(TASK, keys(file)).stream().filter(value -> value != null).count();
    ToIntFunction<Integer> few = file -> rows.getAll(TASK, keys(file).subList(0, 2)).get(0) == null ? 0 : EACH;
    ToIntFunction<Integer> scan = file -> groups.scan(bytes("group " + file)).size();
    check.equal("many: before", 0, outcome(check, "many", many));
    check.equal("few: before", 0, outcome(check, "few", few));
    check.equal("scan: before", 0, outcome(check, "scan", scan));
    remove(Path.of(db.getName()));
    check.equal("many: failures", true, outcome(check, "many", many) > 0);
    check.equal("few: failures", true, outcome(check, "few", few) > 0);
    check.equal("scan: failures", true, outcome(check, "scan", scan) > 0);
    store.abort();
    provider.close();
    check.end();
  }


  /** How many reads failed; the others must have given all. */
  private static int outcome(Checks check, String what, ToIntFunction<Integer> read) {
    int failed = 0;
    for (int file = 0; file < FILES; file++) {
      int found;
      try {
        found = read.applyAsInt(file);
      } catch (StateFailure failure) {
        failed++;
        continue;
      }
      check.equal(what + " of file " + file, EACH, found);
    }
    return failed;
  }

  private static void write(SparkRows rows, SparkGroups groups, RocksDB db) throws Exception {
    db.setOptions(MutableColumnFamilyOptions.builder().setDisableAutoCompactions(true).build());
    for (int file = 0; file < FILES; file++) {
      List<byte[]> keys = keys(file);
      rows.putAll(TASK, keys, keys);
      for (byte[] key : keys) {
        groups.put(bytes("group " + file), key, key);
      }
      try (FlushOptions wait = new FlushOptions()) {
        db.flush(wait);
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".sst")).toList()) {
        Files.delete(file);
      }
    }
  }

  private static List<byte[]> keys(int file) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      keys.add(bytes("file " + file + " key " + i));
    }
    return keys;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void declare(StateStore store, String name, StructType key, KeyStateEncoderSpec spec) {
    store.createColFamilyIfAbsent(name, key, BYTES, spec, false, false);
  }
}
