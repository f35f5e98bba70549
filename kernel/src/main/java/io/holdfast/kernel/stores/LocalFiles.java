package io.holdfast.kernel.stores;

import java.io.File;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.execution.streaming.state.RocksDB;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/**
 * Checks whether RocksDB could read its files in a batch.
 *
 * <p>A read that fails throws by itself; this also finds a file that is shorter than it was written and that no read has needed yet.
 */
public final class LocalFiles {
  private static final Field STATISTICS = SparkVariables.field(RocksDB.class, "nativeStats");
  private static final Map<RocksDB, Long> WRONG = Collections.synchronizedMap(new WeakHashMap<>());
  private final RocksDB rocks;

  private LocalFiles(RocksDB rocks) {
    this.rocks = rocks;
  }

  /** The files of the store behind a processor; null if it has none. */
  public static LocalFiles of(StatefulProcessorHandle handle) {
    RocksDBStateStoreProvider provider = SparkVariables.providerOf(SparkVariables.storeOf(handle));
    return provider == null ? null : new LocalFiles(provider.rocksDB());
  }

  /** Fails if a file is shorter than it was written, or the checksum of a block is wrong. */
  public void check() {
    org.rocksdb.RocksDB db = SparkVariables.dbOf(rocks);
    if (db == null) {
      return;
    }
    try {
      checkLengths(db);
    } catch (RocksDBException failure) {
      throw new StateFailure(failure);
    }
    checkChecksums(db);
  }

  private static void checkLengths(org.rocksdb.RocksDB db) throws RocksDBException {
    if (tooShort(db) == null) {
      return;
    }
    // A file may have been compacted away since it was listed: check again while files cannot be deleted.
    db.disableFileDeletions();
    try {
      String found = tooShort(db);
      if (found != null) {
        throw damaged(found);
      }
    } finally {
      db.enableFileDeletions();
    }
  }

  private static String tooShort(org.rocksdb.RocksDB db) {
    for (LiveFileMetaData file : db.getLiveFilesMetaData()) {
      File there = new File(file.path(), file.fileName());
      if (there.length() < file.size()) {
        return there + " has " + there.length() + " bytes of " + file.size();
      }
    }
    return null;
  }

  private void checkChecksums(org.rocksdb.RocksDB db) {
    long wrong = ((Statistics) SparkVariables.valueOf(STATISTICS, rocks)).getTickerCount(TickerType.BLOCK_CHECKSUM_MISMATCH_COUNT);
    Long before = WRONG.put(rocks, wrong);
    if (wrong > (before == null ? 0 : before)) {
      throw damaged("a checksum is wrong in " + db.getName());
    }
  }

  private static StateFailure damaged(String problem) {
    return new StateFailure("local files of the state are damaged: " + problem);
  }
}
