package io.holdfast.kernel.spark;

import io.holdfast.kernel.Checks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/** A query continues from the checkpoint that a loss of power leaves, before and after the commit of an epoch's output. */
public final class PowerLossTest {
  private static final String STATE = "spark.sql.streaming.stateStore.";
  private static final int EPOCHS = 7;
  private static final Checks CHECK = new Checks();

  private PowerLossTest() {}

  /**
   * @param args how RocksDB's files are copied: by "LocalDisk" or by Hadoop; then "false" to leave out the sync
   */
  public static void main(String[] args) throws Exception {
    Path home = CHECK.folder().toRealPath();
    SparkSession.Builder builder = SparkSession.builder().master("local[2]")
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.streaming.checkpointFileManagerClass", LocalCheckpoint.class.getName())
        .config("spark.hadoop." + DiskSync.SETTING, args.length < 2 ? "true" : args[1])
        .config(STATE + "providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
        .config(STATE + "rocksdb.changelogCheckpointing.enabled", "true")
        .config(STATE + "checkpointFormatVersion", "2")
        .config(STATE + "minDeltasForSnapshot", "2").config(STATE + "maintenanceInterval", "200ms");
    if (args[0].equals("LocalDisk")) {
      builder = builder.config("spark.hadoop.fs.file.impl", LocalDisk.class.getName());
    }
    DiskModel disk = new DiskModel();
    DiskSync.listener = disk;
    SparkSession spark = builder.getOrCreate();
    Path checkpoint = home.resolve("state/app/checkpoint");
    Losses losses = new Losses(disk, checkpoint, home);
    run(spark, checkpoint, losses, EPOCHS);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      for (String moment : List.of("begin", "end")) {
        sameLogs(checkpoint, losses.left(epoch, moment), epoch, moment);
      }
    }
    if (args.length > 1) {
      CHECK.end(); // Nothing is left to go on from.
    }
    for (int epoch : new int[] {0, 3, EPOCHS - 1}) {
      goesOn(spark, losses, epoch);
    }
    Path last = losses.left(EPOCHS - 1, "end");
    CHECK.equal("a snapshot of state was among what was left", true, Files.exists(last) && any(last, ".sst") && any(last, ".zip"));
    CHECK.end();
  }

  /** The offsets up to this epoch, the commits up to the one before, and who the query is. */
  private static void sameLogs(Path checkpoint, Path left, int epoch, String moment) throws IOException {
    same("metadata, " + moment + " of epoch " + epoch, checkpoint.resolve("metadata"), left.resolve("metadata"));
    for (int i = 0; i <= epoch; i++) {
      same("offsets/" + i + ", " + moment + " of epoch " + epoch, checkpoint.resolve("offsets/" + i), left.resolve("offsets/" + i));
    }
    for (int i = 0; i < epoch; i++) {
      same("commits/" + i + ", " + moment + " of epoch " + epoch, checkpoint.resolve("commits/" + i), left.resolve("commits/" + i));
    }
  }

  private static void same(String what, Path wanted, Path got) throws IOException {
    CHECK.equal(what, Files.readString(wanted), Files.exists(got) ? Files.readString(got) : "lost");
  }

  /** Run again from what is left, it repeats the interrupted epoch and continues from its state. */
  private static void goesOn(SparkSession spark, Losses before, int epoch) throws Exception {
    Path left = before.left(epoch, "end");
    Losses after = new Losses(null, null, null);
    try {
      run(spark, left, after, epoch + 2);
    } catch (Exception failure) {
      CHECK.equal("continues after a loss in epoch " + epoch, "", failure.getMessage());
      return;
    }
    CHECK.equal("first epoch after a loss in epoch " + epoch, (long) epoch, after.rows.keySet().stream().min(Long::compare).orElse(-1L));
    CHECK.equal("rows of epoch " + epoch + ", again", before.rows.get((long) epoch), after.rows.get((long) epoch));
    if (epoch + 1 < EPOCHS) {
      CHECK.equal("rows of the epoch after " + epoch, before.rows.get(epoch + 1L), after.rows.get(epoch + 1L));
    }
  }

  private static boolean any(Path directory, String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.anyMatch(each -> each.toString().endsWith(suffix));
    }
  }

  private static void run(SparkSession spark, Path checkpoint, Losses losses, int epochs) throws Exception {
    Dataset<Row> counts = spark.readStream().format("rate-micro-batch").option("rowsPerBatch", 50)
        .option("startTimestamp", 1_700_000_000_000L).load()
        .groupBy(functions.col("value").mod(7).as("key")).count();
    StreamingQuery query = counts.writeStream().outputMode("update").option("checkpointLocation", checkpoint.toString())
        .trigger(Trigger.ProcessingTime(400)).foreachBatch(losses).start();
    while (query.isActive() && !losses.rows.containsKey((long) epochs - 1)) {
      query.awaitTermination(50);
    }
    query.stop();
    if (query.exception().isDefined()) {
      throw query.exception().get();
    }
  }

  /** The sink: keeps the rows of each epoch, and what would be left of the checkpoint if the power failed just then. */
  private static final class Losses implements VoidFunction2<Dataset<Row>, Long> {
    private final transient DiskModel disk;
    private final transient Path checkpoint;
    private final transient Path home;
    final transient Map<Long, Map<Long, Long>> rows = new ConcurrentHashMap<>();

    Losses(DiskModel disk, Path checkpoint, Path home) {
      this.disk = disk;
      this.checkpoint = checkpoint;
      this.home = home;
    }

    Path left(long epoch, String moment) {
      return home.resolve("left-" + epoch + "-" + moment);
    }

    @Override
    public void call(Dataset<Row> counts, Long epoch) throws Exception {
      lose(epoch, "begin");
      Map<Long, Long> found = Arrays.stream((Row[]) counts.collect())
          .collect(Collectors.toMap(row -> row.getLong(0), row -> row.getLong(1), (a, b) -> a, TreeMap::new));
      lose(epoch, "end");
      rows.put(epoch, found);
    }

    private void lose(long epoch, String moment) throws IOException {
      if (disk != null) {
        disk.restore(checkpoint, left(epoch, moment));
      }
    }
  }
}
