package io.holdfast.kernel.stores;

import io.holdfast.kernel.Checks;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.rocksdb.Env;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksMemEnv;

/** A list of writes that was made by hand leaves in RocksDB what the same writes one by one would leave. */
public final class WriteListTest {
  private static final int[] LENGTHS = {0, 1, 43, 127, 128, 300, 16_383, 16_384, 70_000};

  private WriteListTest() {}

  public static void main(String[] args) throws Exception {
    Checks check = new Checks();
    RocksDB.loadLibrary();
    Map<String, String> expected = new HashMap<>();
    try (Options inMemory = new Options().setEnv(new RocksMemEnv(Env.getDefault())).setCreateIfMissing(true);
        RocksDB db = RocksDB.open(inMemory, check.folder().toString())) {
      WriteList list = new WriteList();
      Random random = new Random(1);
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 200; i++) {
          change(random, list, expected);
        }
        list.write(db);
        check.equal("round " + round, expected, all(db));
      }
    }
    check.end();
  }

  private static void change(Random random, WriteList list, Map<String, String> expected) {
    byte[] key = new byte[LENGTHS[random.nextInt(6)]];
    Arrays.fill(key, (byte) random.nextInt(4));
    if (random.nextInt(4) == 0) {
      list.delete(key);
      expected.remove(Arrays.toString(key));
    } else {
      byte[] value = new byte[LENGTHS[random.nextInt(LENGTHS.length)]];
      random.nextBytes(value);
      list.put(key, value);
      expected.put(Arrays.toString(key), Arrays.toString(value));
    }
  }

  private static Map<String, String> all(RocksDB db) {
    Map<String, String> out = new HashMap<>();
    try (RocksIterator each = db.newIterator()) {
      for (each.seekToFirst(); each.isValid(); each.next()) {
        out.put(Arrays.toString(each.key()), Arrays.toString(each.value()));
      }
    }
    return out;
  }
}
